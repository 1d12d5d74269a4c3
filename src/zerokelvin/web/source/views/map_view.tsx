export function MapView() {
  return <p>Map</p>;
}
