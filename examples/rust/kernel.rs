//! A compiled module written in Rust: `cargo build --package tenspan-conformance --example kernel` makes `libkernel.so`, which every
//! language loads.

use tenspan::{Error, ErrorKind, Function, Result, Tensor};

tenspan::module! {
    /// Adds two numbers.
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// The root of a number.
    fn root(x: f64) -> Result<f64> {
        if x < 0.0 {
            return Err(Error::new(ErrorKind::ValueError, format!("{x} is negative")));
        }
        Ok(x.sqrt())
    }

    /// Adds one to each element.
    fn add_one(x: Tensor, y: Tensor) -> Result<()> {
        let sums: Vec<f32> = x.to_vec::<f32>()?.iter().map(|x| x + 1.0).collect();
        let sums = Tensor::from_vec(sums, x.shape())?;
        tenspan::copy(&sums, &y, &Default::default())
    }

    /// Numbers from 0.
    fn count_up(n: u64) -> Result<Tensor> {
        Tensor::from_vec((0..n).map(|i| i as f32).collect(), &[n])
    }

    /// A greeting.
    fn greet(name: &str) -> String {
        format!("hello {name}")
    }

    /// Calls a function with each number.
    fn map(function: Function, numbers: Vec<i64>) -> Result<Vec<tenspan::value::Any>> {
        numbers.into_iter().map(|n| function.call(&[tenspan::value::Any::int(n.into())])).collect()
    }

    /// Calls the function that is registered under a name.
    fn by_name(name: &str, argument: i64) -> Result<tenspan::value::Any> {
        match tenspan::get_global_func(name, false)? {
            Some(function) => function.call(&[tenspan::value::Any::int(argument.into())]),
            None => Ok(tenspan::value::Any::NONE),
        }
    }

    /// A defect.
    fn panics() {
        panic!("as it had to come");
    }
}
