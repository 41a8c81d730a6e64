//! The *post* of a room: work that other threads want done on its thread, and how they wait for it.
//!
//! JavaScript runs on the thread of its engine alone. Another thread hands its work in, wakes the engine and waits. A thread
//! that waits and has an engine of its own does meanwhile what others hand in to it: so workers may call each other in turn.
//! A thread that cannot take work, because it is in a native call that waits itself, is not waited for without end.

use std::collections::VecDeque;
use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use napi::Env;
use tenspan::value::Any;
use tenspan::{Error, ErrorKind, Result};

use crate::bytes::{self, wake::Wake};
use crate::guarded;
use crate::host::Scope;
use crate::room::Room;

/// Work that runs in a room.
type Work = Box<dyn FnOnce(&Scope<'_>) -> Result<Any> + Send>;

/// The post of one room.
pub struct Post {
    /// Number of the room.
    room: usize,
    home: ThreadId,
    bell: Arc<Bell>,
    inside: Mutex<Inside>,
    /// Whether values wait to be let go of.
    has_released: AtomicBool,
}

#[derive(Default)]
struct Inside {
    /// Wakes the engine; nothing when it has ended.
    wake: Option<Wake>,
    /// The engine was woken and has not looked yet.
    is_woken: bool,
    jobs: VecDeque<Arc<Job>>,
    released: Vec<f64>,
}

/// Work that somebody waits for.
struct Job {
    state: Mutex<State>,
    /// Of who waits.
    bell: Arc<Bell>,
}

enum State {
    Waiting(Work),
    Taken,
    Done(Result<Any>),
    GivenUp,
}

/// What a thread waits on, for its own work and for that of others alike.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *lock(&self.rung) = true;
        self.changed.notify_all();
    }

    fn wait(&self, longest: Duration) {
        let rung = lock(&self.rung);
        let waited = self
            .changed
            .wait_timeout_while(rung, longest, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

thread_local! {
    static BELL: Arc<Bell> = Arc::default();
}

/// How long a thread may be unable to take work.
fn patience() -> Duration {
    let given = env::var("TENSPAN_PATIENCE_MS").ok();
    let milliseconds = given.and_then(|text| text.parse().ok());
    Duration::from_millis(milliseconds.unwrap_or(10_000))
}

impl Post {
    /// The post of a room of this thread.
    pub fn open(room: usize, wake: Wake) -> Arc<Self> {
        Arc::new(Post {
            room,
            home: thread::current().id(),
            bell: BELL.with(Arc::clone),
            inside: Mutex::new(Inside {
                wake: Some(wake),
                ..Inside::default()
            }),
            has_released: AtomicBool::new(false),
        })
    }

    /// Whether this is the thread of the room.
    pub fn is_here(&self) -> bool {
        self.home == thread::current().id()
    }

    /// Does work in the room, and waits for it on any other thread.
    pub fn run(
        &self,
        work: impl FnOnce(&Scope<'_>) -> Result<Any> + Send + 'static,
    ) -> Result<Any> {
        let bell = BELL.with(Arc::clone);
        let job = Arc::new(Job {
            state: Mutex::new(State::Waiting(Box::new(work))),
            bell: Arc::clone(&bell),
        });
        if !self.hand_in(|inside| inside.jobs.push_back(Arc::clone(&job))) {
            return Err(ended());
        }
        let patience = patience();
        let deadline = Instant::now() + patience;
        loop {
            match job.finished(deadline) {
                Progress::Done(result) => return result,
                Progress::GivenUp => return Err(unable(patience)),
                Progress::Waiting(longest) => {
                    Room::work_here();
                    bell.wait(longest);
                }
            }
        }
    }

    /// Lets go of a value of JavaScript, from any thread: when the room comes to it.
    pub fn release(&self, number: f64) {
        self.hand_in(|inside| inside.released.push(number));
        self.has_released.store(true, Ordering::Release);
    }

    /// Adds to what waits and wakes the engine; false when that has ended.
    fn hand_in(&self, add: impl FnOnce(&mut Inside)) -> bool {
        let mut inside = lock(&self.inside);
        if inside.wake.is_none() {
            return false;
        }
        add(&mut inside);
        if !std::mem::replace(&mut inside.is_woken, true) {
            // Under the lock, so that the engine does not end in between.
            inside.wake.iter().for_each(Wake::ring);
        }
        drop(inside);
        self.bell.ring();
        true
    }

    /// Does all that was handed in. To be called on the thread of the room.
    pub fn work(&self, scope: &Scope<'_>) {
        lock(&self.inside).is_woken = false;
        self.let_go(scope);
        while let Some(job) = self.next() {
            job.run(scope);
        }
    }

    fn next(&self) -> Option<Arc<Job>> {
        lock(&self.inside).jobs.pop_front()
    }

    /// Does something in the room, on its thread.
    pub fn here<T>(&self, work: impl FnOnce(&Scope<'_>) -> Result<T>) -> Result<T> {
        let room = Room::find(self.room).ok_or_else(ended)?;
        let env = Env::from_raw(room.env);
        work(&Scope {
            env: &env,
            room: &room,
        })
    }

    /// Does what was handed in, on the thread of the room, while that waits for others.
    pub fn catch_up(&self) {
        let has_jobs = !lock(&self.inside).jobs.is_empty();
        if has_jobs {
            // A room that is gone has no jobs.
            let _ = self.here(|scope| {
                self.work(scope);
                Ok(())
            });
        }
    }

    /// Lets go of values, if any wait for it.
    #[inline]
    pub fn let_go(&self, scope: &Scope<'_>) {
        if self.has_released.load(Ordering::Acquire) {
            self.let_go_now(scope);
        }
    }

    #[cold]
    fn let_go_now(&self, scope: &Scope<'_>) {
        self.has_released.store(false, Ordering::Release);
        let released = std::mem::take(&mut lock(&self.inside).released);
        if !released.is_empty() && crate::kept::forget(scope, &released).is_err() {
            // The stack is full: later it is not.
            let _ = bytes::caught(scope.env);
            lock(&self.inside).released.extend(released);
            self.has_released.store(true, Ordering::Release);
        }
    }

    /// Ends the post: who waits gets an error, and nothing is taken any more.
    pub fn close(&self) {
        let jobs = {
            let mut inside = lock(&self.inside);
            inside.wake = None;
            std::mem::take(&mut inside.jobs)
        };
        for job in jobs {
            job.end(Err(ended()));
        }
    }
}

enum Progress {
    Done(Result<Any>),
    GivenUp,
    /// Wait again, so long at most.
    Waiting(Duration),
}

impl Job {
    /// Takes the result, or gives the job up when nobody took it in time.
    fn finished(&self, deadline: Instant) -> Progress {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Taken) {
            State::Done(result) => Progress::Done(result),
            State::Taken | State::GivenUp => Progress::Waiting(Duration::from_secs(3600)),
            State::Waiting(work) => match deadline.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => {
                    *state = State::Waiting(work);
                    Progress::Waiting(left)
                }
                _ => {
                    *state = State::GivenUp;
                    Progress::GivenUp
                }
            },
        }
    }

    fn run(&self, scope: &Scope<'_>) {
        let work = {
            let mut state = lock(&self.state);
            match std::mem::replace(&mut *state, State::Taken) {
                State::Waiting(work) => work,
                other => {
                    *state = other;
                    return;
                }
            }
        };
        self.end(guarded(|| work(scope)));
    }

    fn end(&self, result: Result<Any>) {
        *lock(&self.state) = State::Done(result);
        self.bell.ring();
    }
}

/// What is guarded is whole between any two steps, so a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cold]
fn ended() -> Error {
    let message = "the thread that a JavaScript function belongs to has ended";
    Error::new(ErrorKind::RuntimeError, message)
}

#[cold]
fn unable(patience: Duration) -> Error {
    let message = format!(
        "the thread that a JavaScript function belongs to did not come to call it within {} ms: it may be in a native call \
         that waits for this one",
        patience.as_millis()
    );
    Error::new(ErrorKind::RuntimeError, message)
}
