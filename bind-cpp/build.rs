//! Link arguments that a cdylib does not get from Cargo: its soname, that it is bound to itself, and that it stays loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match system.as_str() {
        "linux" | "android" | "freebsd" => {
            // Without a soname, programs would record the path of the file they were linked with.
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtenspan.so");
            // Calls inside of the library stay inside, whoever else has a function of the name.
            println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
            // Threads of the pool and destructors of thread-locals may outlive a `dlclose`.
            println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
        "macos" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libtenspan.dylib")
        }
        _ => {}
    }
}
