//! Text for people: lines, columns that line up, times.

use std::time::Duration;

/// Writes a line to the standard output. A reader that went away is no failure.
pub fn say(line: &str) {
    crate::output::line(line);
}

/// Rows with columns as wide as their widest cell; the first row is the heading.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..count)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{cell:<width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
        if number == 0 {
            let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            text.push_str(&rules.join("  "));
            text.push('\n');
        }
    }
    text
}

/// A duration as `3.4 s` or `2 min 05 s`.
pub fn time(taken: Duration) -> String {
    let seconds = taken.as_secs_f64();
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = taken.as_secs();
    format!("{} min {:02} s", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_under_a_rule() {
        let rows = [
            vec!["a".to_owned(), "long".to_owned()],
            vec!["wider".to_owned(), "x".to_owned()],
        ];
        assert_eq!(columns(&rows), "a      long\n-----  ----\nwider  x\n");
    }

    #[test]
    fn times_are_seconds_then_minutes() {
        assert_eq!(time(Duration::from_millis(3_440)), "3.4 s");
        assert_eq!(time(Duration::from_secs(125)), "2 min 05 s");
    }
}
