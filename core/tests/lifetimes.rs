//! Who keeps memory alive, and when it goes: on any thread, in any order, without a trace after many times.
#![allow(
    unsafe_code,
    reason = "memory at addresses and structures handed over are what is tested"
)]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use tenspan::abi::dlpack::{self, Handed};
use tenspan::{Context, DType, Tensor, copy, from_memory, zeros};

/// Owns elements, and counts itself when it goes.
struct Owner {
    values: Vec<f32>,
    gone: Arc<AtomicU64>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        // A tensor that looks at them after this would see it.
        self.values.fill(f32::NAN);
        self.gone.fetch_add(1, Ordering::SeqCst);
    }
}

fn owned(gone: &Arc<AtomicU64>) -> Tensor {
    let mut owner = Owner {
        values: (0..16u8).map(f32::from).collect(),
        gone: Arc::clone(gone),
    };
    let start = owner.values.as_mut_ptr().cast();
    // SAFETY: the keeper owns sixteen floats at this address, and nobody else writes them.
    unsafe { from_memory(start, DType::F32, &[4, 4], None, false, Box::new(owner)) }.unwrap()
}

fn there_and_back(tensor: &Tensor) -> Tensor {
    let managed = dlpack::export(tensor, false).unwrap();
    // SAFETY: made by `export`, taken once.
    unsafe { dlpack::import(Handed::Versioned(managed), Box::new) }.unwrap()
}

/// Views of each kind, in which the tensor itself is the last.
fn family(root: Tensor) -> Vec<Tensor> {
    vec![
        root.select(0, 1).unwrap(),
        root.transpose().unwrap(),
        root.slice(1, None, None, -2).unwrap(),
        root.as_readonly(),
        there_and_back(&root),
        there_and_back(&there_and_back(&root).select(0, 3).unwrap()),
        root,
    ]
}

#[test]
fn the_owner_goes_with_the_last_view_whichever_it_is() {
    for last in 0..7 {
        let gone = Arc::new(AtomicU64::new(0));
        let mut tensors = family(owned(&gone));
        let kept = tensors.swap_remove(last);
        drop(tensors);
        assert_eq!(gone.load(Ordering::SeqCst), 0, "{last}");
        let values = kept.to_vec::<f32>().unwrap();
        assert!(values.iter().all(|value| !value.is_nan()), "{last}");
        drop(kept);
        assert_eq!(gone.load(Ordering::SeqCst), 1, "{last}");
    }
}

#[test]
fn tensors_go_on_any_thread_in_any_order() {
    let gone = Arc::new(AtomicU64::new(0));
    let lanes: Vec<_> = (0..4).map(|_| mpsc::channel::<Tensor>()).collect();
    let (senders, receivers): (Vec<_>, Vec<_>) = lanes.into_iter().unzip();
    let readers: Vec<_> = receivers
        .into_iter()
        .map(|lane| {
            thread::spawn(move || {
                // Held back, so that threads free them out of order.
                let mut held: Vec<Tensor> = Vec::new();
                for tensor in lane {
                    held.push(tensor);
                    if held.len() > 5 {
                        let one = held.swap_remove(held.len() * 7 % 5);
                        let values = one.to_vec::<f32>().unwrap();
                        assert!(values.iter().all(|value| !value.is_nan()));
                    }
                }
            })
        })
        .collect();
    for n in 0..200 {
        for (i, tensor) in family(owned(&gone)).into_iter().enumerate() {
            senders[(n + i) % 4].send(tensor).unwrap();
        }
    }
    drop(senders);
    for reader in readers {
        reader.join().unwrap();
    }
    assert_eq!(gone.load(Ordering::SeqCst), 200);
}

#[test]
fn a_tensor_of_a_thread_goes_when_the_thread_ends() {
    thread_local! {
        static HELD: Mutex<Vec<Tensor>> = const { Mutex::new(Vec::new()) };
    }
    let gone = Arc::new(AtomicU64::new(0));
    let tensors = family(owned(&gone));
    thread::spawn(move || HELD.with(|held| held.lock().unwrap().extend(tensors)))
        .join()
        .unwrap();
    assert_eq!(gone.load(Ordering::SeqCst), 1);
}

#[test]
fn an_owner_may_hold_tensors_and_drop_them() {
    struct Nested {
        inner: Tensor,
        gone: Arc<AtomicU64>,
    }
    impl Drop for Nested {
        fn drop(&mut self) {
            // Whatever a deleter does with tensors, it may.
            copy(
                &self.inner,
                &self.inner.transpose().unwrap(),
                &Default::default(),
            )
            .unwrap();
            self.gone.fetch_add(1, Ordering::SeqCst);
        }
    }
    let gone = Arc::new(AtomicU64::new(0));
    let mut tensor = owned(&gone);
    for _ in 0..1000 {
        let address = tensor.data_ptr() as *mut u8;
        let keeper = Nested {
            inner: tensor,
            gone: Arc::clone(&gone),
        };
        // SAFETY: the keeper holds a tensor of as many floats at this address.
        tensor =
            unsafe { from_memory(address, DType::F32, &[4, 4], None, false, Box::new(keeper)) }
                .unwrap();
    }
    assert_eq!(gone.load(Ordering::SeqCst), 0);
    drop(tensor);
    assert_eq!(gone.load(Ordering::SeqCst), 1001);
}

fn round_trips(times: u64, gone: &Arc<AtomicU64>) {
    let mut room = zeros(&[4, 4], DType::F32).unwrap();
    for n in 0..times {
        let root = owned(gone);
        let view = root.slice(0, None, None, -1).unwrap().select(1, 2).unwrap();
        let back = there_and_back(&view);
        let legacy = dlpack::export_legacy(&back).unwrap();
        // SAFETY: made by `export_legacy`, taken once.
        let legacy = unsafe { dlpack::import(Handed::Legacy(legacy), Box::new) };
        drop((root, view, back));
        assert_eq!(legacy.unwrap().size(), 4);
        let taken = Tensor::from(vec![n; 16]);
        assert_eq!(taken.as_slice::<u64>().unwrap()[15], n);
        room.as_mut_slice::<f32>().unwrap()[0] = 1.0;
        let context = Context::new(256, false).unwrap();
        let _ = context.tensor(&[16], DType::F32, None).unwrap();
        // What is refused leaves nothing either.
        let refused = Tensor::from_vec(vec![0u8; 3], &[4]);
        assert!(refused.is_err());
    }
}

/// Bytes of this process in memory; 0 where the system does not tell.
fn resident() -> u64 {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = told.split(' ').nth(1).and_then(|word| word.parse().ok());
    pages.unwrap_or(0u64) * 4096
}

#[test]
fn round_trips_leave_nothing() {
    const TIMES: u64 = 100_000;
    let gone = Arc::new(AtomicU64::new(0));
    // As many as fill what an allocator, or a sanitizer, holds back of freed memory.
    round_trips(TIMES / 2, &gone);
    let before = resident();
    round_trips(TIMES, &gone);
    let grown = resident().saturating_sub(before);
    assert_eq!(gone.load(Ordering::SeqCst), TIMES + TIMES / 2);
    // Other tests of this program run meanwhile; sixteen bytes per round would be more.
    assert!(grown < 16 * TIMES, "{grown} bytes after {TIMES} rounds");
}
