"""What can go wrong in the model room.

ElisionError
└── BundleError            the bundle cannot be used
    ├── BundleNotFound     no bundle of that name or at that path
    ├── BundleIncomplete   a file the manifest names is missing
    └── BundleCorrupt      a file or the manifest is not what it should be
"""


class ElisionError(Exception):
    """Root of every error this package raises on purpose."""


class BundleError(ElisionError):
    """The bundle cannot be used."""


class BundleNotFound(BundleError):
    """No bundle of that name or at that path."""


class BundleIncomplete(BundleError):
    """A file the manifest names is missing."""


class BundleCorrupt(BundleError):
    """A file or the manifest is not what it should be."""
