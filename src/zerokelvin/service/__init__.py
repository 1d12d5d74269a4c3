"""The service: projects behind HTTP, each a session whose events are kept in a log before they are learnt."""

from zerokelvin.lazy import lazy_names

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    from zerokelvin.service.service_settings import ServiceSettings
    from zerokelvin.service.web.app import create_app

__all__ = ["ServiceSettings", "create_app"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.service.service_settings": "ServiceSettings",
        "zerokelvin.service.web.app": "create_app",
    },
)
