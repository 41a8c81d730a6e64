//! The cache folder, and files that appear in it in one step.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// The cache of the user.
///
/// # Errors
/// [`ErrorKind::OSError`] when the environment names none.
pub fn root() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(own) = set("TENSPAN_CACHE_DIR") {
        return absolute(Path::new(&own));
    }
    let folder = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| set("LOCALAPPDATA").map(PathBuf::from))
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    folder.map(|folder| folder.join("tenspan")).ok_or_else(|| {
        let message = "there is no folder for a cache: set TENSPAN_CACHE_DIR or HOME";
        Error::new(ErrorKind::OSError, message)
    })
}

/// A path that stays the same when the working folder changes.
pub fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| failed(path, &error))
}

/// What the system said of a path.
pub fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::OSError, format!("{}: {error}", path.display()))
}

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| failed(path, &error))
}

/// A name beside a path that nobody else uses.
pub fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(format!(".{}-{count}.tmp", std::process::id()));
    PathBuf::from(name)
}

/// Writes a file that is there whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    let temporary = beside(path);
    fs::write(&temporary, bytes)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|error| {
            // The error that counts is the first one.
            let _ = fs::remove_file(&temporary);
            failed(path, &error)
        })
}

/// Waits until no other process has the lock, and holds it as long as the file lives.
pub fn lock(path: &Path) -> Result<File> {
    let open = || {
        let mut options = File::options();
        options.create(true).truncate(false).write(true).open(path)
    };
    open()
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| failed(path, &error))
}
