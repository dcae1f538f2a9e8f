"""Looking at what hybridad did: `explain`, `source`, `export`, `cache_info`, `cache_clear`."""

from hybridad.cache import CacheInfo
from hybridad.inspection.caches import cache_clear, cache_info
from hybridad.inspection.explain import Explanation, explain
from hybridad.inspection.export import export
from hybridad.inspection.highlighting import Source
from hybridad.inspection.source import source

__all__ = ["CacheInfo", "Explanation", "Source", "cache_clear", "cache_info", "explain", "export",
           "source"]
