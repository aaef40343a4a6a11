//! Plots as SVG, to stand in a page: no script, colours by the page's classes, each with a text for who can't see it.

use std::fmt::Write;

use super::html::escaped;
use super::plot::{Bar, Bars, Buckets, Histogram, Lines, Plot};
use super::workload::Runner;
use crate::figure::Figure;

/// All lengths are in units of the drawing, which is scaled to the page.
const WIDTH: f64 = 760.0;
/// For the names of cases, at the least.
const LABEL: f64 = 120.0;
const BAR: f64 = 13.0;
/// Between two cases.
const GAP: f64 = 9.0;
/// For the figure behind the longest bar.
const FIGURE: f64 = 70.0;
const LEGEND: f64 = 24.0;
/// Where a legend has several lines.
const LEGEND_LINE: f64 = 17.0;
/// Of a letter, for how much stands in a legend.
const LETTER: f64 = 7.0;

/// Draws.
pub(super) fn draw(plot: &Plot) -> String {
    match plot {
        Plot::Bars(it) => bars(it),
        Plot::Histogram(it) => histogram(it),
        Plot::Lines(it) => lines(it),
    }
}

/// The classes of lines, in their order.
const LINES: [&str; 9] =
    ["line0", "line1", "line2", "line3", "line4", "line5", "line6", "line7", "line8"];

/// The class by which a page colours what is a runner's.
pub(super) fn class(runner: Runner) -> &'static str {
    match runner {
        Runner::Stock | Runner::StockAgain => "stock",
        Runner::Vaquita => "vaquita",
        Runner::C => "c",
    }
}

/// A drawing: it has a name, and what is in it is read as text.
fn drawing(title: &str, height: f64, inside: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{title}\" xmlns=\"http://www.w3.org/2000/svg\"><title>{title}</title>{inside}</svg>"
    )
}

fn text(svg: &mut String, class: &str, x: f64, y: f64, said: &str) {
    // Writing to a string can't fail.
    let _ =
        write!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(said));
}

fn rect(svg: &mut String, class: &str, [x, y, width, height]: [f64; 4], says: &str) {
    let says = escaped(says);
    let _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{says}</title></rect>"
    );
}

fn line(svg: &mut String, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = write!(
        svg,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

/// Names with their colours, from the left; gives back how many lines there are besides the first, in height.
fn legend<'a>(svg: &mut String, names: impl IntoIterator<Item = (&'a str, &'a str)>) -> f64 {
    let (mut x, mut y) = (LABEL, 0.0);
    for (class, name) in names {
        let width = 34.0 + letters(name) * LETTER;
        if x > LABEL && x + width > WIDTH {
            (x, y) = (LABEL, y + LEGEND_LINE);
        }
        rect(svg, class, [x, y + 4.0, 11.0, 11.0], name);
        text(svg, "label", x + 16.0, y + 14.0, name);
        x += width;
    }
    y
}

fn letters(said: &str) -> f64 {
    said.chars().map(|_| 1.0).sum()
}

/// Never zero, nor so small that what is divided by it is infinite.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|it| it.is_finite()).fold(1e-9, f64::max)
}

fn bars(plot: &Bars) -> String {
    let all = || plot.rows.iter().flat_map(|(_, bars)| bars);
    let longest =
        largest(all().map(|bar| bar.quarters.map_or(bar.value, |[_, high]| high.max(bar.value))));
    let left =
        plot.rows.iter().map(|(name, _)| 16.0 + letters(name) * LETTER).fold(LABEL, f64::max);
    let scale = (WIDTH - left - FIGURE) / longest;
    let mut svg = String::new();
    let runners = [Runner::Stock, Runner::Vaquita, Runner::C];
    let is_there = |runner: &Runner| all().any(|bar| bar.runner == *runner);
    legend(
        &mut svg,
        runners.into_iter().filter(is_there).map(|runner| (class(runner), runner.name())),
    );
    let mut y = LEGEND;
    for (name, bars) in &plot.rows {
        let middle = y + bars.iter().map(|_| BAR).sum::<f64>() / 2.0;
        text(&mut svg, "name", left - 8.0, middle + 4.0, name);
        for Bar { runner, value, quarters } in bars {
            let says = format!("{name}, {}: {} {}", runner.name(), Figure(Some(*value)), plot.unit);
            rect(&mut svg, class(*runner), [left, y + 1.0, value * scale, BAR - 2.0], &says);
            let mut end = value * scale;
            if let Some([low, high]) = quarters {
                let y = y + BAR / 2.0;
                line(&mut svg, "spread", [left + low * scale, y, left + high * scale, y]);
                end = end.max(high * scale);
            }
            text(
                &mut svg,
                "label",
                left + end + 5.0,
                y + BAR - 3.0,
                &Figure(Some(*value)).to_string(),
            );
            y += BAR;
        }
        y += GAP;
    }
    drawing(&format!("{}, {}", plot.title, plot.unit), y, &svg)
}

fn histogram(plot: &Histogram) -> String {
    let sizes = || plot.panels.iter().flat_map(|(_, buckets)| buckets.keys().copied());
    let (Some(first), Some(last)) = (sizes().min(), sizes().max()) else {
        let mut svg = String::new();
        text(&mut svg, "label", LABEL, 16.0, "none at all");
        return drawing(&plot.title, 2.0 * LEGEND, &svg);
    };
    let mut rows = vec![first];
    while let Some(next) = rows.last().filter(|it| **it < last) {
        rows.push((next * 2).max(1));
    }
    let panels: f64 = plot.panels.iter().map(|_| 1.0).sum();
    let left = 90.0;
    let width = (WIDTH - left) / panels;
    let top = 34.0;
    let mut svg = String::new();
    let count =
        |buckets: &Buckets, size: &u64| Figure::of(buckets.get(size).copied().unwrap_or_default());
    let longest = largest(
        plot.panels.iter().flat_map(|(_, buckets)| buckets.values().map(|it| Figure::of(*it))),
    );
    let mut x = left;
    for (runner, buckets) in &plot.panels {
        let total: u64 = buckets.values().sum();
        text(&mut svg, "label", x, 16.0, &format!("{}: {total} in all", runner.name()));
        let mut y = top;
        for size in &rows {
            let count = count(buckets, size);
            let length = count / longest * (width - FIGURE);
            let says =
                format!("{}: {count} of {size} bytes and more, below the next", runner.name());
            rect(&mut svg, class(*runner), [x, y - 10.0, length, BAR - 1.0], &says);
            if count > 0.0 {
                text(&mut svg, "label", x + length + 4.0, y, &format!("{count}"));
            }
            y += BAR;
        }
        line(&mut svg, "axis", [x, top - 12.0, x, y - 8.0]);
        x += width;
    }
    let mut y = top;
    for size in &rows {
        text(&mut svg, "name", left - 8.0, y, &size.to_string());
        y += BAR;
    }
    text(&mut svg, "name", left - 8.0, 16.0, "bytes");
    drawing(&format!("{}, {}", plot.title, plot.unit), y, &svg)
}

/// How far lines of a grid are apart, so that there are no more than ten.
fn grid(highest: f64) -> f64 {
    let mut step = 0.2;
    for factor in [2.5, 2.0, 2.0].into_iter().cycle() {
        if highest / step <= 10.0 {
            break;
        }
        step *= factor;
    }
    step
}

fn lines(plot: &Lines) -> String {
    let mut svg = String::new();
    let is_drawn =
        |(_, (_, values)): &(&str, &(String, Vec<Option<f64>>))| values.iter().any(Option::is_some);
    let drawn = || LINES.into_iter().zip(&plot.lines).filter(is_drawn);
    let names = drawn().map(|(class, (name, _))| (class, &name[..]));
    let legend = legend(&mut svg, names);
    let (left, top, height) = (60.0, 34.0 + legend, 240.0);
    let values = || plot.lines.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    let highest = largest(values()).max(1.0) * 1.1;
    let steps: f64 = plot.xs.iter().skip(1).map(|_| 1.0).sum();
    let step = (WIDTH - left - FIGURE) / steps.max(1.0);
    let at = |value: f64| top + height - value / highest * height;
    let step_up = grid(highest);
    let mut mark = 0.0;
    while mark <= highest {
        line(&mut svg, "grid", [left, at(mark), WIDTH - FIGURE, at(mark)]);
        text(&mut svg, "name", left - 8.0, at(mark) + 4.0, &format!("{mark:.1}"));
        mark += step_up;
    }
    if let Some(called) = plot.one {
        line(&mut svg, "one", [left, at(1.0), WIDTH - FIGURE, at(1.0)]);
        text(&mut svg, "label", WIDTH - FIGURE + 4.0, at(1.0) + 4.0, called);
    }
    let mut x = left;
    for name in &plot.xs {
        text(&mut svg, "middle", x, top + height + 18.0, name);
        x += step;
    }
    text(&mut svg, "label", left, top + height + 38.0, plot.across);
    for (class, (name, values)) in drawn() {
        let mut x = left;
        let mut points = String::new();
        let mut dots = String::new();
        for (value, at_x) in values.iter().zip(&plot.xs) {
            if let Some(value) = value.filter(|it| it.is_finite()) {
                let _ = write!(points, "{x:.1},{:.1} ", at(value));
                let says = escaped(&format!("{name}, {at_x} {}: {value:.2}", plot.across));
                let _ = write!(
                    dots,
                    "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"3.5\"><title>{says}</title></circle>",
                    at(value)
                );
            }
            x += step;
        }
        let _ = write!(svg, "<polyline class=\"{class}\" points=\"{}\"/>{dots}", points.trim_end());
    }
    drawing(&plot.title, top + height + 46.0, &svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(svg: &str, part: &str) -> usize {
        svg.matches(part).count()
    }

    #[test]
    fn a_bar_is_as_long_as_its_figure() {
        let bar = |runner, value| Bar { runner, value, quarters: Some([value, value]) };
        let rows =
            vec![("a<b".to_owned(), vec![bar(Runner::Stock, 48.0), bar(Runner::Vaquita, 12.0)])];
        let svg = draw(&Plot::Bars(Bars { title: "T & t".to_owned(), unit: "ms", rows }));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        assert!(svg.contains("class=\"stock\" x=\"120.0\" y=\"25.0\" width=\"570.0\""), "{svg}");
        assert!(svg.contains("class=\"vaquita\" x=\"120.0\" y=\"38.0\" width=\"142.5\""), "{svg}");
        assert!(svg.contains("a&lt;b, stock: 48.0 ms") && svg.contains("T &amp; t, ms"), "{svg}");
        assert_eq!(count(&svg, "class=\"spread\""), 2);
        // No colour of C's in the legend: it is not there.
        assert_eq!(count(&svg, "class=\"c\""), 0);
    }

    #[test]
    fn bars_of_nothing_have_no_length() {
        let bars = vec![Bar { runner: Runner::Stock, value: 0.0, quarters: Some([0.0, 0.0]) }];
        let rows = vec![("a".to_owned(), bars)];
        let svg = draw(&Plot::Bars(Bars { title: "T".to_owned(), unit: "", rows }));
        assert!(svg.contains("width=\"0.0\"") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn a_long_name_has_room() {
        let bars = vec![Bar { runner: Runner::Stock, value: 1.0, quarters: None }];
        let rows = vec![("forty letters, which is a long name here".to_owned(), bars)];
        let svg = draw(&Plot::Bars(Bars { title: "T".to_owned(), unit: "ms", rows }));
        assert!(svg.contains("class=\"stock\" x=\"296.0\" y=\"25.0\" width=\"394.0\""), "{svg}");
    }

    #[test]
    fn a_histogram_has_a_row_for_each_power_of_two() {
        let panels = vec![
            (Runner::Stock, Buckets::from([(16, 8), (128, 2)])),
            (Runner::Vaquita, Buckets::from([(32, 4)])),
        ];
        let plot = Histogram { title: "T".to_owned(), unit: "calls", panels };
        let svg = draw(&Plot::Histogram(plot));
        for said in [">16<", ">32<", ">64<", ">128<", "stock: 10 in all", "Vaquita: 4 in all"] {
            assert_eq!(count(&svg, said), 1, "{said}: {svg}");
        }
        assert_eq!(count(&svg, "<rect"), 8);
        let none = vec![(Runner::Stock, Buckets::new())];
        let svg =
            draw(&Plot::Histogram(Histogram { title: "T".to_owned(), unit: "", panels: none }));
        assert!(svg.contains("none at all"));
    }

    #[test]
    fn a_grid_has_ten_lines_at_the_most() {
        assert_eq!([1.0, 2.0, 2.1, 5.1, 40.0, 99.0].map(grid), [0.2, 0.2, 0.5, 1.0, 5.0, 10.0]);
    }

    #[test]
    fn a_line_leaves_out_what_was_not_measured() {
        let lines = vec![("one".to_owned(), vec![Some(1.0), None, Some(2.0)])];
        let xs = ["1", "10", "100"].map(str::to_owned).to_vec();
        let svg = draw(&Plot::Lines(Lines {
            title: "T".to_owned(),
            across: "rows",
            xs,
            lines,
            one: Some("the same"),
        }));
        assert_eq!(count(&svg, "<circle"), 2);
        assert_eq!(count(&svg, "class=\"one\""), 1, "{svg}");
        assert!(svg.contains("one, 100 rows: 2.00"));
    }

    #[test]
    fn a_long_legend_has_several_lines() {
        let lines = (0..9).map(|at| (format!("a line with the number {at}"), vec![Some(2.0)]));
        let (lines, xs) = (lines.collect(), vec!["1".to_owned()]);
        let plot = Lines { title: "T".to_owned(), across: "workers", xs, lines, one: None };
        let svg = draw(&Plot::Lines(plot));
        let at = |y| count(&svg, &format!("y=\"{y}\">a line with"));
        assert_eq!([at("14.0"), at("31.0"), at("48.0")], [3, 3, 3], "{svg}");
        assert_eq!(count(&svg, "class=\"one\""), 0);
    }

    #[test]
    fn a_line_of_nothing_keeps_its_colour_for_itself() {
        let line = |name: &str, value| (name.to_owned(), vec![value]);
        let lines = vec![line("one", Some(1.0)), line("none", None), line("other", Some(1.0))];
        let (xs, one) = (vec!["1".to_owned()], None);
        let svg = draw(&Plot::Lines(Lines { title: "T".to_owned(), across: "", xs, lines, one }));
        let of = |class: &str| count(&svg, &format!("<polyline class=\"{class}\""));
        assert_eq!(["line0", "line1", "line2"].map(of), [1, 0, 1], "{svg}");
        assert!(!svg.contains("none"));
    }
}
