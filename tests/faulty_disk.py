"""A disk that has too little room, or fails now and then: SQLite's file operations, with errors (apsw)."""

import itertools

import apsw

COUNT = itertools.count()


class FaultyDisk:
    """Connections for which `fails(file name, operation)` says which error to raise, if any."""

    def __init__(self):
        self.fails = lambda name, operation: None
        disk = self

        class FaultyFile(apsw.VFSFile):
            def __init__(self, path, flags):
                super().__init__("", path, flags)
                self.path = path.filename() if isinstance(path, apsw.URIFilename) else path

            def attempt(self, operation):
                error = disk.fails(self.path, operation)
                if error is not None:
                    raise error

            def xWrite(self, data, offset):  # noqa: N802
                self.attempt("write")
                super().xWrite(data, offset)

            def xSync(self, flags):  # noqa: N802
                self.attempt("sync")
                super().xSync(flags)

        class FaultyVfs(apsw.VFS):
            def xOpen(self, path, flags):  # noqa: N802
                return FaultyFile(path, flags)

        self.name = f"faulty-{next(COUNT)}"
        self.vfs = FaultyVfs(self.name, "")

    def connect(self, path):
        return apsw.Connection(str(path), vfs=self.name)
