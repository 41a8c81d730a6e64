//! Link arguments of the addon: the name by which compiled modules need it, and that calls inside of it stay inside.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if matches!(system.as_str(), "linux" | "android" | "freebsd") {
        for argument in ["-soname,libtns_js0.so", "-Bsymbolic", "-z,nodelete"] {
            println!("cargo:rustc-cdylib-link-arg=-Wl,{argument}");
        }
    }
}
