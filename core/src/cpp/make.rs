//! From sources to a module: written, compiled, linked, and put in its place in one step; or found as it is.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use super::compiler::Compiler;
use super::export::{self, Export};
use super::key::{self, Digest};
use super::{cache, headers};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::BuildOptions;

/// What a module is made of.
pub struct Plan {
    name: String,
    /// Files that are written beside the module: name and text.
    written: Vec<(String, String)>,
    /// Files that are compiled, by paths that mean something in the folder of the module.
    compiled: Vec<PathBuf>,
    /// Files of the user, with their text.
    given: Vec<(PathBuf, Vec<u8>)>,
    flags: Vec<&'static str>,
}

impl Plan {
    /// A module of sources in memory.
    pub fn inline(name: &str, sources: &[String], exports: &[Export]) -> Result<Plan> {
        check_name(name)?;
        if sources.is_empty() {
            let message = "cpp_sources: there is no source";
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        let is_public = export::is_public(sources);
        let file = |i: usize| match sources.len() {
            1 => format!("{name}.cpp"),
            _ => format!("{name}.{i}.cpp"),
        };
        let files: Vec<String> = (0..sources.len()).map(file).collect();
        let main = format!("{name}.exports.cpp");
        let text = export::main_source(&files, exports, is_public);
        let mut written: Vec<_> = files.into_iter().zip(sources.iter().cloned()).collect();
        written.push((main.clone(), text));
        Ok(Plan {
            name: name.to_owned(),
            written,
            compiled: vec![PathBuf::from(main)],
            given: Vec::new(),
            flags: if is_public {
                vec!["-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1"]
            } else {
                Vec::new()
            },
        })
    }

    /// A module of files.
    pub fn files(name: &str, files: &[String]) -> Result<Plan> {
        check_name(name)?;
        if files.is_empty() {
            let message = "cpp_files: there is no file";
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        let mut given = Vec::new();
        for file in files {
            let path = cache::absolute(Path::new(file))?;
            let text = fs::read(&path).map_err(|error| cache::failed(&path, &error))?;
            given.push((path, text));
        }
        Ok(Plan {
            name: name.to_owned(),
            written: Vec::new(),
            compiled: given.iter().map(|(path, _)| path.clone()).collect(),
            given,
            flags: Vec::new(),
        })
    }

    /// The path of the module, which is made when it is not there.
    pub fn make(&self, options: &BuildOptions) -> Result<PathBuf> {
        let compiler = Compiler::find()?;
        let mut includes = Vec::new();
        for path in &options.extra_include_paths {
            includes.push(cache::absolute(Path::new(path))?);
        }
        let key = self.key(&compiler, options, &includes);
        let (root, folder) = match &options.build_directory {
            Some(folder) => {
                let folder = cache::absolute(Path::new(folder))?;
                (folder.clone(), folder)
            }
            None => {
                let root = cache::root()?;
                let folder = root.join(format!("{}-{}", self.name, &key[..16]));
                (root, folder)
            }
        };
        let module = folder.join(format!("{}{}", self.name, std::env::consts::DLL_SUFFIX));
        let made = folder.join(format!("{}.made", self.name));
        if is_fresh(&module, &made, &key) {
            return Ok(module);
        }
        cache::make_folder(&folder)?;
        let _lock = cache::lock(&folder.join(format!("{}.lock", self.name)))?;
        // Another process may have made it while this one waited.
        if is_fresh(&module, &made, &key) {
            return Ok(module);
        }
        let work = Work {
            plan: self,
            compiler: &compiler,
            options,
            includes: &includes,
            headers: headers::folder(&root)?,
            folder: &folder,
        };
        let inputs = work.run(&module)?;
        cache::write(&made, format!("{key}\n{inputs}").as_bytes())?;
        Ok(module)
    }

    fn key(&self, compiler: &Compiler, options: &BuildOptions, includes: &[PathBuf]) -> String {
        let mut digest = Digest::new();
        digest.add(crate::version().as_bytes());
        digest.add(std::env::consts::ARCH.as_bytes());
        digest.add(headers::digest().as_bytes());
        compiler.add_to(&mut digest);
        digest.add(self.name.as_bytes());
        for (name, text) in &self.written {
            digest.add(name.as_bytes());
            digest.add(text.as_bytes());
        }
        for (path, text) in &self.given {
            digest.add(path.as_os_str().as_encoded_bytes());
            digest.add(text);
        }
        for words in [&options.extra_cflags, &options.extra_ldflags] {
            digest.add(&(words.len() as u64).to_le_bytes());
            words.iter().for_each(|word| digest.add(word.as_bytes()));
        }
        for path in includes {
            digest.add(path.as_os_str().as_encoded_bytes());
        }
        digest.finish()
    }
}

/// One run of the compiler for a module.
struct Work<'a> {
    plan: &'a Plan,
    compiler: &'a Compiler,
    options: &'a BuildOptions,
    includes: &'a [PathBuf],
    headers: PathBuf,
    folder: &'a Path,
}

impl Work<'_> {
    /// Makes the module, and says which files it was made of besides its sources.
    fn run(&self, module: &Path) -> Result<String> {
        for (name, text) in &self.plan.written {
            cache::write(&self.folder.join(name), text.as_bytes())?;
        }
        let objects = cache::beside(&self.folder.join("objects"));
        cache::make_folder(&objects)?;
        let made = self.compile(&objects, module);
        // What is left there is of no use to anybody, and harms nobody when it stays.
        let _ = fs::remove_dir_all(&objects);
        made
    }

    fn compile(&self, objects: &Path, module: &Path) -> Result<String> {
        let what = format!("the module `{}`", self.plan.name);
        let mut base: Vec<OsString> = words(self.compiler.flags());
        base.extend(words(self.plan.flags.iter().copied()));
        base.extend(words(&self.options.extra_cflags));
        let mut includes = Vec::new();
        for folder in std::iter::once(&self.headers).chain(self.includes) {
            includes.push(OsString::from("-I"));
            includes.push(folder.into());
        }
        let compile = |(i, source): (usize, &PathBuf)| {
            let object = objects.join(format!("{i}.o"));
            let read = objects.join(format!("{i}.d"));
            let mut line = base.clone();
            line.extend(includes.iter().cloned());
            line.extend(words(["-MMD", "-MF"]));
            line.push(read.clone().into());
            line.push("-c".into());
            line.push(source.into());
            line.push("-o".into());
            line.push(object.clone().into());
            self.compiler.run(self.folder, &line, &what)?;
            let rule = fs::read(&read).map_err(|error| cache::failed(&read, &error))?;
            Ok((object, prerequisites(&rule)))
        };
        let compiled: Vec<(PathBuf, Vec<PathBuf>)> = self
            .plan
            .compiled
            .par_iter()
            .enumerate()
            .map(compile)
            .collect::<Result<_>>()?;
        let temporary = cache::beside(module);
        let mut line = base;
        line.push("-shared".into());
        line.extend(compiled.iter().map(|(object, _)| object.into()));
        line.push("-o".into());
        line.push(temporary.clone().into());
        line.extend(words(&self.options.extra_ldflags));
        let linked = self.compiler.run(self.folder, &line, &what);
        let placed = linked.and_then(|()| {
            fs::rename(&temporary, module).map_err(|error| cache::failed(module, &error))
        });
        if placed.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        placed?;
        self.inputs(compiled.into_iter().flat_map(|(_, read)| read))
    }

    /// The headers that were read, each as a line of its size, time, digest and path.
    fn inputs(&self, read: impl Iterator<Item = PathBuf>) -> Result<String> {
        let mut paths: Vec<PathBuf> = read
            .map(|path| self.folder.join(path))
            .filter(|path| !path.starts_with(&self.headers))
            .filter(|path| {
                !self
                    .plan
                    .written
                    .iter()
                    .any(|(name, _)| self.folder.join(name) == *path)
            })
            .collect();
        paths.sort();
        paths.dedup();
        let mut lines = String::new();
        for path in paths {
            let (Some(stamp), Ok(bytes)) = (stamp(&path), fs::read(&path)) else {
                // It went while the module was made: the next one makes it again.
                lines.push_str("gone\n");
                continue;
            };
            let path = path.to_string_lossy().into_owned();
            lines.push_str(&format!("{stamp} {} {path}\n", key::of_bytes(&bytes)));
        }
        Ok(lines)
    }
}

fn words<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> Vec<OsString> {
    words
        .into_iter()
        .map(|word| OsString::from(word.as_ref()))
        .collect()
}

fn check_name(name: &str) -> Result<()> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fits = (1..=100).contains(&name.len()) && name.chars().all(is_part);
    if fits && !name.starts_with(['.', '-']) {
        return Ok(());
    }
    let message = format!(
        "name: {name:?} is no name for a module: letters, digits, `_`, `-` and `.` make one"
    );
    Err(Error::new(ErrorKind::ValueError, message))
}

/// Size and time of a file.
fn stamp(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    let modified = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", about.len(), modified.as_nanos()))
}

/// Whether a module is there, made of what its key says, and of headers that are as they were.
fn is_fresh(module: &Path, made: &Path, key: &str) -> bool {
    let Ok(text) = fs::read_to_string(made) else {
        return false;
    };
    let mut lines = text.lines();
    lines.next() == Some(key) && module.is_file() && lines.all(is_unchanged)
}

fn is_unchanged(line: &str) -> bool {
    let mut parts = line.splitn(4, ' ');
    let (Some(size), Some(time), Some(digest), Some(path)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let path = Path::new(path);
    match stamp(path) {
        Some(stamp) if stamp == format!("{size} {time}") => true,
        // Touched, but perhaps not changed.
        Some(_) => fs::read(path).is_ok_and(|bytes| key::of_bytes(&bytes) == digest),
        None => false,
    }
}

/// The files behind the colon of a rule of `make`.
fn prerequisites(rule: &[u8]) -> Vec<PathBuf> {
    let text = String::from_utf8_lossy(rule);
    let Some((_, list)) = text.split_once(": ") else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    let mut word = String::new();
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(' ' | '#' | '\\')) | ('$', Some('$')) => word.extend(letters.next()),
            ('\\', Some('\n' | '\r')) => {}
            (' ' | '\n' | '\r' | '\t', _) => {
                if !word.is_empty() {
                    paths.push(PathBuf::from(std::mem::take(&mut word)));
                }
            }
            _ => word.push(letter),
        }
    }
    if !word.is_empty() {
        paths.push(PathBuf::from(word));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make_are_read() {
        let rule = b"/w/0.o: m.cpp \\\n /a/b.hpp /c\\ d/e.hpp \\\n  x$$y.hpp\n";
        let expected = ["m.cpp", "/a/b.hpp", "/c d/e.hpp", "x$y.hpp"].map(PathBuf::from);
        assert_eq!(prerequisites(rule), expected);
        assert!(prerequisites(b"").is_empty());
    }

    #[test]
    fn names_are_parts_of_file_names() {
        for good in ["hello", "a-1.b_c"] {
            check_name(good).unwrap();
        }
        for bad in ["", ".", "..", "a/b", "-o", "a b", "é", &"x".repeat(101)] {
            assert_eq!(
                check_name(bad).unwrap_err().kind(),
                ErrorKind::ValueError,
                "{bad}"
            );
        }
    }
}
