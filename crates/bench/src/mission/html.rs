//! The report as one page: readable without a network and without scripts, light and dark, by keyboard.

use std::fmt::Write;

use super::report::{Report, Section};
use super::results::{CaseResults, Judgement, Results};
use super::svg;
use super::workload::{Measure, Runner};
use crate::figure::{Figure, Ratio};

const STYLE: &str = include_str!("style.css");

/// A text as it stands between tags and in attributes.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The page.
pub(super) fn page(report: &Report) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n<title>Vaquita and stock, measured</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
        <a class=\"skip\" href=\"#results\">To the results</a>\n<header>\n<h1>Vaquita and stock, measured</h1>\n"
    );
    let [held, promised] = report.held();
    // Writing to a string can't fail, here and below.
    let _ = writeln!(
        page,
        "<p class=\"lead\">{} {held} of {promised} promises are held.</p>",
        escaped(&report.counted())
    );
    page.push_str("<nav aria-label=\"Sections\">\n<ul>\n<li><a href=\"#machine\">On what</a></li>\n<li><a href=\"#promises\">Promises</a></li>\n<li><a href=\"#losses\">Losses</a></li>\n");
    for section in &report.sections {
        let _ =
            writeln!(page, "<li><a href=\"#{}\">{}</a></li>", section.name, escaped(section.title));
    }
    page.push_str("</ul>\n</nav>\n</header>\n<main id=\"results\">\n");
    about(&mut page, report);
    promises(&mut page, report);
    losses(&mut page, report);
    report.sections.iter().for_each(|it| section(&mut page, it));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn about(page: &mut String, report: &Report) {
    page.push_str("<section id=\"machine\">\n<h2>On what</h2>\n<dl>\n");
    for (name, what) in &report.about {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(what));
    }
    let _ = writeln!(
        page,
        "</dl>\n<p>Figures are medians of {} rounds; each run is a process of its own, and the order of runners alternates from round to round. A ratio is stock's figure to \
        Vaquita's, the median of each round's own: above 1 Vaquita is better, below 1 stock is. Noise is how far stock is from itself: it runs twice in each round, and half of \
        these ratios lie that near to 1. A difference beyond it, and beyond 1 %, is called a win or a loss. Thin lines in plots: between them lies half of the runs.</p>\n</section>",
        report.rounds
    );
}

fn promises(page: &mut String, report: &Report) {
    let [held, promised] = report.held();
    let _ = writeln!(
        page,
        "<section id=\"promises\">\n<h2>What was promised: {held} held, {} missed</h2>\n<ul class=\"promises\">",
        promised - held
    );
    for promise in report.promises() {
        let word = if promise.is_held { "held" } else { "missed" };
        let _ =
            writeln!(page, "<li class=\"{word}\"><b>{word}</b> {}</li>", escaped(&promise.what));
    }
    page.push_str("</ul>\n</section>\n");
}

fn losses(page: &mut String, report: &Report) {
    let losses = report.losses();
    let _ = writeln!(
        page,
        "<section id=\"losses\">\n<h2>Where stock is better beyond the noise: {}</h2>",
        losses.len()
    );
    if losses.is_empty() {
        page.push_str("<p>Nowhere.</p>\n</section>\n");
        return;
    }
    page.push_str("<ul>\n");
    for loss in losses {
        let _ = writeln!(page, "<li>{}</li>", escaped(&loss));
    }
    page.push_str("</ul>\n</section>\n");
}

fn section(page: &mut String, section: &Section) {
    let Section { name, title, about, results, notes, plots, .. } = section;
    let _ = writeln!(
        page,
        "<section id=\"{name}\">\n<h2>{}</h2>\n<p>{}</p>",
        escaped(title),
        escaped(about)
    );
    for (number, group) in results.groups().into_iter().enumerate() {
        table(page, &format!("{name}-{number}"), group, results);
    }
    if !notes.is_empty() {
        page.push_str("<ul>\n");
        for note in notes {
            let _ = writeln!(page, "<li>{}</li>", escaped(note));
        }
        page.push_str("</ul>\n");
    }
    for (number, plot) in plots.iter().enumerate() {
        let open = if number == 0 { " open" } else { "" };
        let _ = writeln!(
            page,
            "<details{open}><summary>{}</summary>\n<figure>{}</figure></details>",
            escaped(plot.title()),
            svg::draw(plot)
        );
    }
    page.push_str("</section>\n");
}

/// A line for each case of a group, the figures of each measure side by side.
fn table(page: &mut String, id: &str, group: &str, results: &Results) {
    let is_there = |runner| results.group(group).any(|it| it.samples.contains_key(&runner));
    let runners: Vec<Runner> = [Runner::Stock, Runner::Vaquita, Runner::C]
        .into_iter()
        .filter(|it| is_there(*it))
        .collect();
    let has_noise = is_there(Runner::StockAgain);
    let has_ratio = is_there(Runner::Stock) && is_there(Runner::Vaquita);
    let columns = runners.len() + usize::from(has_ratio) + usize::from(has_noise);
    let _ = writeln!(
        page,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"{id}\" tabindex=\"0\">\n<table>\n<caption id=\"{id}\">{}</caption>\n<thead>\n<tr><td></td>",
        escaped(group)
    );
    for measure in &results.measures {
        let _ = write!(
            page,
            "<th colspan=\"{columns}\" scope=\"colgroup\">{}, {}</th>",
            escaped(measure.name),
            escaped(measure.unit)
        );
    }
    page.push_str("</tr>\n<tr><td></td>");
    for _ in &results.measures {
        for runner in &runners {
            let _ = write!(page, "<th scope=\"col\">{}</th>", runner.name());
        }
        page.push_str(if has_ratio { "<th scope=\"col\">ratio</th>" } else { "" });
        page.push_str(if has_noise { "<th scope=\"col\">noise</th>" } else { "" });
    }
    page.push_str("</tr>\n</thead>\n<tbody>\n");
    for case in results.group(group) {
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", escaped(&case.case.name));
        for (at, measure) in results.measures.iter().enumerate() {
            for runner in &runners {
                let _ = write!(page, "<td>{}</td>", Figure(case.median(*runner, at)));
            }
            if has_ratio {
                page.push_str(&ratio(case, at, measure));
            }
            if has_noise {
                let noise = case.noise(at).map_or("-".to_owned(), |it| format!("{it:.3}"));
                let _ = write!(page, "<td class=\"noise\">{noise}</td>");
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

/// The cell of a ratio; wins and losses are said in words too, for those who see no colours.
fn ratio(case: &CaseResults, at: usize, measure: &Measure) -> String {
    let word = match case.judge(at, measure) {
        Some(Judgement::Win) => "win",
        Some(Judgement::Loss) => "loss",
        _ => return format!("<td>{}</td>", Ratio(case.ratio(at))),
    };
    format!("<td class=\"{word}\">{} <small>{word}</small></td>", Ratio(case.ratio(at)))
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    #[test]
    fn texts_can_not_become_tags() {
        let page = page(&report(5.0));
        for said in [
            "Fetching &lt;rows&gt;",
            "How &amp; why.",
            "a &quot;box&quot;",
            "<li>others: &lt;2</li>",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert!(!page.contains("<rows>"));
    }

    #[test]
    fn it_needs_no_network_and_no_script() {
        let page = page(&report(5.0));
        let without_names = page.replace("http://www.w3.org/2000/svg", "");
        for other in ["http:", "https:", "<script", "src=", "@import", "url(", "<link"] {
            assert!(!without_names.contains(other), "{other}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
    }

    #[test]
    fn losses_are_as_plain_as_wins() {
        let win = page(&report(5.0));
        assert!(
            win.contains("<td class=\"win\">2.00 <small>win</small></td>")
                && win.contains("<p>Nowhere.</p>")
        );
        let loss = page(&report(20.0));
        assert!(loss.contains("<td class=\"loss\">0.50 <small>loss</small></td>"));
        assert!(loss.contains("Where stock is better beyond the noise: 1</h2>\n<ul>\n<li>T: way, wall: 10.0 on stock, 20.0 ms on Vaquita; ratio 0.50, noise 0.000</li>"));
        assert!(loss.contains("What was promised: 1 held, 1 missed"));
        assert!(loss.contains("<li class=\"missed\"><b>missed</b> smaller</li>"));
    }

    #[test]
    fn every_tag_is_closed_and_every_link_leads_somewhere() {
        let page = page(&report(5.0));
        for tag in [
            "section", "table", "tr", "td", "th", "ul", "li", "details", "svg", "text", "figure",
            "div", "dl", "main", "nav", "header", "h2", "p",
        ] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        for link in page.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap_or_default();
            assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
        }
        // What is scrolled can be reached by keyboard.
        assert_eq!(
            page.matches("class=\"scroll\"").count(),
            page.matches("tabindex=\"0\"").count()
        );
    }
}
