"""The client of a service: the session's own verbs over HTTP, synchronous and asynchronous."""

from zerokelvin.lazy import lazy_names

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    from zerokelvin.client.async_client import AsyncClient, AsyncRemoteProject
    from zerokelvin.client.requests import ServiceError
    from zerokelvin.client.sync_client import Client, RemoteProject

__all__ = ["AsyncClient", "AsyncRemoteProject", "Client", "RemoteProject", "ServiceError"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.client.async_client": "AsyncClient AsyncRemoteProject",
        "zerokelvin.client.requests": "ServiceError",
        "zerokelvin.client.sync_client": "Client RemoteProject",
    },
    extra="service",
)
