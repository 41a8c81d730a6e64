//! Libraries on Linux, through the dynamic linker of the system.
//!
//! Glibc knows a library by the path that it was opened by. A library from memory is opened by the number of its file, so that number
//! is never used for another one: the file stays open as long as the library may be there.
#![allow(
    unsafe_code,
    reason = "the dynamic linker is asked through its C functions"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;
use std::ptr::NonNull;

use super::{Medium, Symbol};

/// A library that is open. Dropping it closes it; [`Library::keep`] leaves it open for ever.
#[derive(Debug)]
pub struct Library {
    handle: NonNull<c_void>,
    /// What it was opened from, when that was memory.
    memory: Option<File>,
}

// SAFETY: handles of the dynamic linker may be used by any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// What the dynamic linker said of the last thing that failed on this thread.
fn last_error() -> String {
    // SAFETY: takes no arguments; the text is valid until the next call of this kind on this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the dynamic linker does not say why".to_owned();
    }
    // SAFETY: a text that ends with a NUL, by the manual.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

fn open_with(path: &CStr, flags: c_int) -> Result<NonNull<c_void>, String> {
    // SAFETY: a text that ends with a NUL. That initialisers of the library run is what the caller wants.
    let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
    NonNull::new(handle).ok_or_else(last_error)
}

/// A file with a library in it, which has a path as long as this is there.
enum Place {
    Memory(File, CString),
    Disk {
        /// Removes the file when it goes.
        _file: tempfile::TempPath,
        path: CString,
    },
}

impl Place {
    /// A file that is only in memory.
    fn memory(title: &str, bytes: &[u8]) -> io::Result<Self> {
        const EXECUTABLE: libc::c_uint = 0x10;
        // The system takes 249 bytes.
        let title: String = title.chars().filter(|c| *c != '\0').take(60).collect();
        let title = CString::new(title)?;
        let make = |flags| {
            // SAFETY: a text that ends with a NUL, and flags.
            unsafe { libc::memfd_create(title.as_ptr(), libc::MFD_CLOEXEC | flags) }
        };
        // Old systems do not know the flag; new ones may want it.
        let number = match make(EXECUTABLE) {
            -1 => make(0),
            number => number,
        };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the number of a file that was just opened here.
        let mut file = unsafe { File::from_raw_fd(number) };
        file.write_all(bytes)?;
        let path = CString::new(format!("/proc/self/fd/{number}"))?;
        Ok(Place::Memory(file, path))
    }

    /// A file of the disk, under a name that no other has.
    fn disk(bytes: &[u8]) -> io::Result<Self> {
        let mut file = tempfile::Builder::new()
            .prefix("tenspan-")
            .suffix(".so")
            .tempfile()?;
        file.write_all(bytes)?;
        let path = c_path(file.path())?;
        Ok(Place::Disk {
            _file: file.into_temp_path(),
            path,
        })
    }

    fn path(&self) -> &CStr {
        match self {
            Place::Memory(_, path) | Place::Disk { path, .. } => path,
        }
    }
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_encoded_bytes())?)
}

/// Opens a library from bytes: `open` is given the path of a file with them. `title` is what debuggers and profilers call it, `media` are tried
/// one after the other.
///
/// # Errors
/// What `open` says of the first of the media, or why no file could be made there.
pub fn open_bytes(
    title: &str,
    bytes: &[u8],
    media: &[Medium],
    open: impl Fn(&CStr) -> Result<Library, String>,
) -> Result<Library, String> {
    let mut first = None;
    for medium in media {
        match open_in(*medium, title, bytes, &open) {
            Ok(library) => return Ok(library),
            Err(why) => first = first.or(Some(why)),
        }
    }
    Err(first.unwrap_or_else(|| "there is no place for its file".to_owned()))
}

fn open_in(
    medium: Medium,
    title: &str,
    bytes: &[u8],
    open: impl Fn(&CStr) -> Result<Library, String>,
) -> Result<Library, String> {
    let (made, name) = match medium {
        Medium::Memory => (Place::memory(title, bytes), "in memory"),
        Medium::Disk => (Place::disk(bytes), "of the disk"),
    };
    let place = made.map_err(|error| format!("no file {name} could be made: {error}"))?;
    let mut library = open(place.path())?;
    if let Place::Memory(file, _) = place {
        library.memory = Some(file);
    }
    Ok(library)
}

impl Library {
    /// Opens a library by its path, for itself alone and with all its symbols bound.
    ///
    /// # Errors
    /// What the dynamic linker says.
    pub fn open(path: &CStr) -> Result<Library, String> {
        let handle = open_with(path, libc::RTLD_NOW | libc::RTLD_LOCAL)?;
        Ok(Library {
            handle,
            memory: None,
        })
    }

    /// As [`Library::open`].
    ///
    /// # Errors
    /// As there.
    pub fn open_path(path: &Path) -> Result<Library, String> {
        Library::open(&c_path(path).map_err(|error| error.to_string())?)
    }

    /// The library that is open by a path already.
    ///
    /// # Errors
    /// What the dynamic linker says, when there is none.
    pub fn loaded(path: &CStr) -> Result<Library, String> {
        let handle = open_with(path, libc::RTLD_NOW | libc::RTLD_NOLOAD)?;
        Ok(Library {
            handle,
            memory: None,
        })
    }

    /// Leaves the library open for ever.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    /// The value of a symbol of the library or of one that it needs.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is of an open library.
        let found = unsafe { libc::dlsym(self.handle.as_ptr(), name.as_ptr()) };
        Symbol::at(found as u64)
    }

    /// The address that the library has at a place of its file, when that is mapped: where its beginning lies.
    fn base(&self) -> Option<usize> {
        let mut map: *const usize = std::ptr::null();
        // SAFETY: the handle is of an open library, and the result goes to the address of a pointer.
        let found = unsafe {
            libc::dlinfo(
                self.handle.as_ptr(),
                libc::RTLD_DI_LINKMAP,
                (&raw mut map).cast(),
            )
        };
        if found != 0 || map.is_null() {
            return None;
        }
        // SAFETY: the record of an open library begins with this address.
        Some(unsafe { *map })
    }

    /// The address that the dynamic linker stored at a place of the library, which its file names as one of those.
    pub fn stored(&self, place: u64) -> Option<u64> {
        let address = self.base()?.checked_add(usize::try_from(place).ok()?)?;
        // SAFETY: the dynamic linker wrote an address there when the library was opened, or the process would have ended then.
        Some(unsafe { (address as *const u64).read_unaligned() })
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the handle is of an open library, and is not used afterwards.
        unsafe { libc::dlclose(self.handle.as_ptr()) };
        let Some(file) = self.memory.take() else {
            return;
        };
        // A library may stay although it was closed; then its number must not be given to another file.
        let path = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if path.is_ok_and(|path| Library::loaded(&path).is_ok()) {
            std::mem::forget(file);
        }
    }
}

/// The path of the library, or program, that an address lies in.
pub fn path_of(address: u64) -> Option<String> {
    // SAFETY: plain numbers and addresses; all bits zero are a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: looks the address up and writes to `info`.
    let found = unsafe { libc::dladdr(address as *const c_void, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name of an open library.
    let name = unsafe { CStr::from_ptr(info.dli_fname.cast::<c_char>()) };
    Some(name.to_string_lossy().into_owned())
}

/// Addresses of symbols that one library of the process defines itself, all of them. This one, and those made here, are not meant.
pub fn find_together<const N: usize>(names: [&str; N]) -> Option<[u64; N]> {
    let own = path_of(find_together::<N> as *const () as u64);
    loaded_paths().into_iter().find_map(|path| {
        let c_path = CString::new(path.as_str()).ok()?;
        let handle = open_with(&c_path, libc::RTLD_LAZY | libc::RTLD_NOLOAD).ok()?;
        let library = Library {
            handle,
            memory: None,
        };
        let found = names.map(|name| library.symbol(name).map(Symbol::address));
        // A library is also asked for what it needs.
        let defines = |address: &Option<u64>| {
            let place = address.and_then(path_of);
            place.as_ref() == Some(&path) && place != own
        };
        found
            .iter()
            .all(defines)
            .then(|| found.map(Option::unwrap_or_default))
    })
}

/// The paths of all libraries of the process.
fn loaded_paths() -> Vec<String> {
    unsafe extern "C" fn note(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        paths: *mut c_void,
    ) -> c_int {
        // SAFETY: the linker gives a valid record.
        let info = unsafe { &*info };
        // SAFETY: the vector below, which nothing else uses meanwhile.
        let paths = unsafe { &mut *paths.cast::<Vec<String>>() };
        if !info.dlpi_name.is_null() {
            // SAFETY: the name of an open library.
            let name = unsafe { CStr::from_ptr(info.dlpi_name) };
            paths.extend(
                name.to_str()
                    .ok()
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned),
            );
        }
        0
    }
    let mut paths: Vec<String> = Vec::new();
    // SAFETY: the function above gets the vector.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut paths).cast()) };
    paths
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::module::image::made::Library as Made;

    /// A library with one symbol, of the address 0x1234.
    fn bytes() -> Vec<u8> {
        let functions = [("tenspan_test_answer".to_owned(), 0x1234)];
        let made = Made {
            functions: &functions,
            ..Made::default()
        };
        made.bytes()
    }

    #[test]
    fn a_library_is_opened_from_either_medium() {
        for medium in Medium::ALL {
            let path = RefCell::new(String::new());
            let library = open_bytes("test", &bytes(), &[medium], |given| {
                path.replace(given.to_string_lossy().into_owned());
                Library::open(given)
            });
            let library = library.unwrap();
            let found = library.symbol("tenspan_test_answer").unwrap();
            assert_eq!(found.address(), 0x1234);
            let path = path.into_inner();
            assert_eq!(path.starts_with("/proc/"), medium == Medium::Memory);
            // A file of the disk is gone once it is open.
            assert_eq!(Path::new(&path).exists(), medium == Medium::Memory);
        }
    }

    #[test]
    fn the_next_medium_is_tried_and_the_first_reason_told() {
        let refuse_memory = |path: &CStr| match path.to_string_lossy().starts_with("/proc/") {
            true => Err("code in memory is forbidden".to_owned()),
            false => Library::open(path),
        };
        let opened = open_bytes("test", &bytes(), &Medium::ALL, refuse_memory);
        assert!(opened.unwrap().symbol("tenspan_test_answer").is_some());
        let refuse = |path: &CStr| Err(path.to_string_lossy().into_owned());
        let why = open_bytes("test", &bytes(), &Medium::ALL, refuse).unwrap_err();
        assert!(why.starts_with("/proc/"), "{why}");
        assert!(open_bytes("test", &bytes(), &[], Library::open).is_err());
    }
}
