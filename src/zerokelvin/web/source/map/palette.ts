export function classColours(count: number, _dark: boolean): string[] {
  const colours = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"];
  return Array.from({ length: count }, (_, i) => colours[i % 8]!);
}
