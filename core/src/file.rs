//! Model files: opened by content, written in one step.
//!
//! The main type is [`File`], a mapping of names to tensors over a mapped file: [`open`] reads and checks the header,
//! tensors are made when they are asked for, and view the map wherever their bytes can be used as they are. [`save`]
//! writes tensors, [`quantize_file`] rewrites a file with smaller ones. [`gguf`] says which rules a GGUF file
//! must keep.
//!
//! ```
//! use tenspan::{DType, full, open, save};
//! use tenspan::value::IntoAny;
//!
//! let folder = tempfile::tempdir().expect("a folder");
//! let path = folder.path().join("tiny.gguf");
//! let path = path.to_str().expect("text");
//! let ones = full(&[2, 3], 1.into_any().view(), DType::F32)?;
//! save(path, &[("ones".to_owned(), ones)], None, &Default::default())?;
//! let file = open(path)?;
//! assert_eq!(file.keys(), ["ones"]);
//! assert_eq!(file.get("ones")?.map(|t| t.nbytes()), Some(24));
//! # Ok::<(), tenspan::Error>(())
//! ```

mod atomic;
mod contents;
mod cursor;
pub mod gguf;
mod metadata;
mod quantize;
mod rule;
mod safetensors;
mod save;
mod value;
mod value_type;

pub use metadata::Metadata;
pub use quantize::quantize_file;
pub use save::save;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{Error, ErrorKind, Result};
use crate::storage::Storage;
use crate::tensor::Tensor;
use contents::{Contents, Entry, Format};
use cursor::fault;

/// A model file, mapped into memory. Cloning counts a reference; tensors keep the map alive.
#[derive(Clone)]
pub struct File(Arc<Inner>);

crate::class!(File, "tenspan.File");

struct Inner {
    path: String,
    format: Format,
    version: u32,
    order: cursor::ByteOrder,
    alignment: u64,
    /// `None` once closed.
    open: RwLock<Option<Open>>,
}

struct Open {
    storage: Storage,
    metadata: Metadata,
    entries: Vec<Entry>,
    places: HashMap<String, usize>,
}

/// Opens a GGUF or safetensors file. The content decides which, not the name. A shard of a split file is a file of its
/// own, with its own tensors.
///
/// # Errors
/// [`ErrorKind::OSError`] when there is no such file or it cannot be read, [`ErrorKind::InvalidFile`] with the offset when it
/// breaks the rules of its format, or is of none that is known.
pub fn open(path: &str) -> Result<File> {
    let (storage, contents) = read(path)?;
    let Contents {
        format,
        version,
        order,
        alignment,
        metadata,
        entries,
    } = contents;
    let places = entries
        .iter()
        .enumerate()
        .map(|(i, entry)| (entry.name.clone(), i))
        .collect();
    let open = RwLock::new(Some(Open {
        storage,
        metadata,
        entries,
        places,
    }));
    Ok(File(Arc::new(Inner {
        path: path.to_owned(),
        format,
        version,
        order,
        alignment,
        open,
    })))
}

/// Reads a file and checks all its rules, without reading the elements. Stricter than [`open`], which lets pass what
/// does no harm: strings must be UTF-8, and names no longer than the format grants.
///
/// # Errors
/// As [`open`].
pub fn validate_file(path: &str) -> Result<()> {
    let (_, contents) = read(path)?;
    match contents.format {
        Format::Gguf => gguf::read::check_strictly(&contents).map_err(|error| error.at(path)),
        Format::Safetensors => Ok(()),
    }
}

fn read(path: &str) -> Result<(Storage, Contents)> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorKind::OSError,
            format!("{path}: cannot be opened: {error}"),
        )
    };
    // Before it is opened: opening a pipe waits for a writer.
    let status = std::fs::metadata(path).map_err(failed)?;
    if !status.is_file() {
        let what = if status.is_dir() {
            "it is a folder"
        } else {
            "it is not a file"
        };
        return Err(Error::new(
            ErrorKind::OSError,
            format!("{path}: cannot be opened: {what}"),
        ));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let storage = Storage::mapped(&file).map_err(|error| error.at(path))?;
    let contents = parse(&storage).map_err(|error| error.at(path))?;
    Ok((storage, contents))
}

fn parse(storage: &Storage) -> Result<Contents> {
    let bytes = storage.bytes(0, storage.len() as u64)?;
    if bytes.starts_with(gguf::read::MAGIC) {
        return gguf::read::read(storage);
    }
    if safetensors::is_likely(bytes) {
        return safetensors::read(storage);
    }
    let wanted = "wanted `GGUF`, or the length and the JSON of a safetensors header";
    match bytes.get(..bytes.len().min(4)) {
        None | Some([]) => Err(fault(0, format!("the file is empty, {wanted}"))),
        Some(found) => Err(fault(
            0,
            format!("found `{}`, {wanted}", found.escape_ascii()),
        )),
    }
}

impl File {
    /// Path the file was opened by.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// `gguf` or `safetensors`.
    pub fn format(&self) -> &str {
        self.0.format.name()
    }

    /// Version of the format; 0 where there is none.
    pub fn version(&self) -> u32 {
        self.0.version
    }

    /// `little` or `big`.
    pub fn byte_order(&self) -> &str {
        self.0.order.name()
    }

    /// Bytes that the beginning of each tensor is a multiple of.
    pub fn alignment(&self) -> u64 {
        self.0.alignment
    }

    /// Names and values of the header; the same collection each time. Empty once the file is closed.
    pub fn metadata(&self) -> Metadata {
        self.with(|open| open.map_or_else(Metadata::new, |open| open.metadata.clone()))
    }

    /// Lets go of the map. Tensors and metadata already taken stay valid; the file gives out no more.
    pub fn close(&self) {
        let open = self
            .0
            .open
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // Unmapping takes time, and nobody need wait for it.
        drop(open);
    }

    /// Number of tensors; 0 once closed.
    pub fn len(&self) -> u64 {
        self.with(|open| open.map_or(0, |open| open.entries.len() as u64))
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names, in the order of the file.
    pub fn keys(&self) -> Vec<String> {
        self.with(|open| {
            open.map_or_else(Vec::new, |open| {
                open.entries
                    .iter()
                    .map(|entry| entry.name.clone())
                    .collect()
            })
        })
    }

    /// Whether there is a tensor of that name; false once closed.
    pub fn has(&self, key: &str) -> bool {
        self.with(|open| open.is_some_and(|open| open.places.contains_key(key)))
    }

    /// A tensor by name. Read-only; a view of the map, or a copy that says so where bytes had to be turned or moved.
    ///
    /// # Errors
    /// [`ErrorKind::Disposed`] once closed, [`ErrorKind::UnsupportedConversion`] when the type is one that cannot be
    /// used.
    pub fn get(&self, key: &str) -> Result<Option<Tensor>> {
        self.with(|open| {
            let open = open.ok_or_else(|| self.closed())?;
            let Some(place) = open.places.get(key) else {
                return Ok(None);
            };
            let tensor = open.entries[*place].tensor(&open.storage, self.0.order);
            tensor.map(Some).map_err(|error| error.at(&self.0.path))
        })
    }

    /// The descriptions of all tensors.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>> {
        self.with(|open| {
            open.map(|open| open.entries.clone())
                .ok_or_else(|| self.closed())
        })
    }

    fn with<T>(&self, read: impl FnOnce(Option<&Open>) -> T) -> T {
        read(
            self.0
                .open
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .as_ref(),
        )
    }

    fn closed(&self) -> Error {
        Error::new(
            ErrorKind::Disposed,
            format!("{}: the file is closed", self.0.path),
        )
    }
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "File({:?}, format={}, tensors={})",
            self.path(),
            self.format(),
            self.len()
        )
    }
}
