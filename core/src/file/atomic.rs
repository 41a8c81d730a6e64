//! Replacing a file in one step: whoever reads the path sees the old file or the whole new one.

use std::fs::{self, File, Permissions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// Writes a file beside `path`, and puts it in its place when all of it is on the disk. A link is followed; the new
/// file has the permissions of the old one.
///
/// # Errors
/// Those of `write`, or [`ErrorKind::OSError`]; there is no trace of the new file then.
pub(crate) fn replace(
    path: &str,
    write: impl FnOnce(&mut BufWriter<&File>, &Path) -> Result<()>,
) -> Result<()> {
    let failed = |what: &str, error: std::io::Error| {
        Error::new(ErrorKind::OSError, format!("{path}: {what}: {error}"))
    };
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(Error::new(
            ErrorKind::OSError,
            format!("{path}: cannot be replaced: it is not a file"),
        ));
    }
    let target = match old {
        Some(_) => fs::canonicalize(path).map_err(|error| failed("cannot be replaced", error))?,
        None => PathBuf::from(path),
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tenspan-").suffix(".tmp");
    if let Some(permissions) = permissions(old.as_ref()) {
        builder.permissions(permissions);
    }
    let temporary = builder
        .tempfile_in(folder)
        .map_err(|error| failed("cannot make a file in its folder", error))?;
    if let Some(old) = &old {
        // Those asked for above are cut by the umask.
        temporary
            .as_file()
            .set_permissions(old.permissions())
            .map_err(|error| failed("cannot set permissions", error))?;
    }
    let mut out = BufWriter::with_capacity(1 << 16, temporary.as_file());
    // An error may carry an exception of the caller's language, so only those of the disk get the path.
    write(&mut out, temporary.path()).map_err(|error| match error.kind() {
        ErrorKind::OSError if error.origin().is_none() => error.at(path),
        _ => error,
    })?;
    out.flush().map_err(|error| failed("cannot write", error))?;
    drop(out);
    temporary
        .as_file()
        .sync_all()
        .map_err(|error| failed("cannot write", error))?;
    temporary
        .persist(&target)
        .map_err(|error| failed("cannot be replaced", error.error))?;
    sync_folder(folder).map_err(|error| failed("cannot write its folder", error))
}

#[cfg(unix)]
fn permissions(old: Option<&fs::Metadata>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    // Temporary files are for their owner alone; a new file is for those whom the umask lets.
    Some(old.map_or_else(|| Permissions::from_mode(0o666), fs::Metadata::permissions))
}

#[cfg(not(unix))]
fn permissions(_: Option<&fs::Metadata>) -> Option<Permissions> {
    None
}

/// A new name is on the disk when its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bin");
        let path = path.to_str().unwrap();
        fs::write(path, b"old").unwrap();
        let error = replace(path, |out, _| {
            out.write_all(&[0; 1 << 17]).unwrap();
            Err(Error::new(ErrorKind::ValueError, "no"))
        });
        assert_eq!(error.unwrap_err().message(), "no");
        assert_eq!(
            (fs::read(path).unwrap(), names(folder.path())),
            (b"old".to_vec(), vec!["x.bin".to_owned()])
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, b"old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        replace(link.to_str().unwrap(), |out, _| {
            out.write_all(b"new").unwrap();
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_folder_and_a_missing_folder_are_system_errors_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("missing/x")] {
            let path = path.to_str().unwrap();
            let error = replace(path, |_, _| Ok(())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OSError);
            assert!(error.message().starts_with(path), "{error}");
        }
    }
}
