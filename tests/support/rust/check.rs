//! Checks of a case, and the record of what it came to.

use std::cell::RefCell;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;

use super::Value;

/// Counts what a case has looked at: one that looks at nothing has shown nothing.
pub struct Check {
    looked: usize,
    values: Values,
}

/// The names of values that loops go through now, and these values.
type Values = Rc<RefCell<Vec<(&'static str, &'static str)>>>;

/// A loop over texts; a failure names the one it happened with.
pub struct Each {
    name: &'static str,
    rest: std::slice::Iter<'static, &'static str>,
    /// How many loops are around.
    depth: usize,
    values: Values,
}

impl Iterator for Each {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        let mut values = self.values.borrow_mut();
        values.truncate(self.depth);
        let value = self.rest.next()?;
        values.push((self.name, value));
        Some(value)
    }
}

impl Check {
    /// Goes through texts.
    pub fn each(&self, name: &'static str, texts: &'static [&'static str]) -> Each {
        Each {
            name,
            rest: texts.iter(),
            depth: self.values.borrow().len(),
            values: Rc::clone(&self.values),
        }
    }

    #[track_caller]
    pub fn equal(&mut self, found: impl Into<Value>, wanted: impl Into<Value>) {
        self.looked += 1;
        assert_eq!(found.into(), wanted.into());
    }

    #[track_caller]
    pub fn differs(&mut self, found: impl Into<Value>, other: impl Into<Value>) {
        self.looked += 1;
        assert_ne!(found.into(), other.into());
    }

    #[track_caller]
    pub fn less(&mut self, found: impl Into<Value>, limit: impl Into<Value>) {
        self.looked += 1;
        let (found, limit) = (found.into(), limit.into());
        assert!(
            found.number() < limit.number(),
            "{found:?} is not less than {limit:?}"
        );
    }

    #[track_caller]
    pub fn greater(&mut self, found: impl Into<Value>, limit: impl Into<Value>) {
        self.looked += 1;
        let (found, limit) = (found.into(), limit.into());
        assert!(
            found.number() > limit.number(),
            "{found:?} is not greater than {limit:?}"
        );
    }

    #[track_caller]
    pub fn near(&mut self, found: impl Into<Value>, wanted: impl Into<Value>, tolerance: f64) {
        self.looked += 1;
        let (found, wanted) = (found.into(), wanted.into());
        assert!(
            found.is_near(&wanted, tolerance),
            "{found:?} is not near {wanted:?}"
        );
    }

    #[track_caller]
    pub fn throws(&mut self, kind: &str, part: &str, work: impl FnOnce() -> tenspan::Result<()>) {
        self.looked += 1;
        match work() {
            Ok(()) => panic!("{kind} was expected, nothing was raised"),
            Err(error) => {
                assert_eq!(error.kind_name(), kind, "{error}");
                assert!(
                    error.message().contains(part),
                    "\"{part}\" is not in \"{}\"",
                    error.message()
                );
            }
        }
    }
}

/// Runs a case; `fails` says why it is known to fail, and then it must.
pub fn case(
    concept: &str,
    name: &str,
    fails: Option<&str>,
    body: impl FnOnce(&mut Check) -> tenspan::Result<()>,
) {
    let mut check = Check {
        looked: 0,
        values: Values::default(),
    };
    let values = Rc::clone(&check.values);
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        if let Err(error) = body(&mut check) {
            panic!("{}: {}", error.kind_name(), error.message());
        }
        assert!(check.looked > 0, "the case looked at nothing");
    }));
    let result = match (&outcome, fails) {
        (Ok(()), None) => "passed",
        (Err(_), None) => "failed",
        (Ok(()), Some(_)) => "passed unexpectedly",
        (Err(_), Some(_)) => "failed as expected",
    };
    record(concept, name, result);
    match (outcome, fails) {
        (Err(_), None) if !values.borrow().is_empty() => {
            let values = values.borrow();
            let values: Vec<String> = values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            panic!("with {}", values.join(", "))
        }
        (Err(failure), None) => panic::resume_unwind(failure),
        (Ok(()), Some(why)) => panic!("passes, though it is skipped because: {why}"),
        _ => {}
    }
}

/// Adds a line to the file of results, when one is asked for.
fn record(concept: &str, name: &str, result: &str) {
    let Some(path) = std::env::var_os("TENSPAN_CASE_LOG") else {
        return;
    };
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("the file of results opens");
    let line = serde_json::json!({ "concept": concept, "case": name, "result": result });
    // One write: tests of other threads add their lines too.
    file.write_all(format!("{line}\n").as_bytes())
        .expect("the result is written");
}
