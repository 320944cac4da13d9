"""Where the inputs that failed are kept, whole, one file or folder for each: TORTURE_FINDS, or a folder of temporary files."""
import hashlib
import os
import shutil
import tempfile


def folder():
    path = os.environ.get("TORTURE_FINDS") or os.path.join(tempfile.gettempdir(), "torture-finds")
    os.makedirs(path, exist_ok=True)
    return path


def keep(path, kind):
    """The path of a copy of a file, named by its contents: a later find never replaces it."""
    with open(path, "rb") as file:
        name = hashlib.sha1(file.read()).hexdigest()[:12]
    kept = os.path.join(folder(), f"{kind}-{name}-{os.path.basename(path)}")
    shutil.copy(path, kept)
    return kept


def keep_folder(path, kind):
    """The path of a copy of a folder."""
    kept = tempfile.mkdtemp(prefix=f"{kind}-", dir=folder())
    shutil.copytree(path, kept, dirs_exist_ok=True)
    return kept
