//! The README shows the very lines of the tested examples.

use crate::Project;

const EXAMPLES: &[&str] = &[
    "examples/python/weights.py",
    "examples/node/weights.mjs",
    "examples/cpp/weights.cpp",
    "examples/rust/weights.rs",
];

#[test]
fn the_readme_shows_what_the_demo_runs() {
    let project = Project::find();
    let read = |path| {
        std::fs::read_to_string(project.path(path))
            .unwrap()
            .replace("\r\n", "\n")
    };
    let readme = read("README.md");
    for path in EXAMPLES {
        let text = read(path);
        let lines = text
            .lines()
            .skip_while(|line| !line.contains("[use]"))
            .skip(1);
        let shown: Vec<&str> = lines.take_while(|line| !line.contains("[/use]")).collect();
        assert!(!shown.is_empty(), "{path} marks nothing");
        let block = shown.join("\n");
        assert!(
            readme.contains(block.trim_end()),
            "README.md does not show {path} as it is:\n{block}"
        );
    }
}
