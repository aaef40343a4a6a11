//! The report for programs: every sample, and what was made of it.

use serde_json::{Map, Value, json};

use super::plot::{Buckets, Histogram, Plot};
use super::report::{Report, Section};
use super::results::{CaseResults, Results};
use super::workload::Runner;

/// All of it, as text.
pub(super) fn text(report: &Report) -> String {
    let about: Map<String, Value> =
        report.about.iter().map(|(name, what)| ((*name).to_owned(), json!(what))).collect();
    let sections: Vec<Value> = report.sections.iter().map(section).collect();
    let [held, promised] = report.held();
    let all = json!({
        "about": about,
        "rounds": report.rounds,
        "promises": { "held": held, "missed": promised - held },
        "losses": report.losses(),
        "workloads": sections,
    });
    format!("{all:#}\n")
}

fn section(section: &Section) -> Value {
    let Section { name, title, about, results, promises, notes, plots } = section;
    let promises: Vec<Value> =
        promises.iter().map(|it| json!({ "what": it.what, "held": it.is_held })).collect();
    let measures: Vec<Value> =
        results.measures.iter().map(|it| json!({ "name": it.name, "unit": it.unit })).collect();
    let cases: Vec<Value> = results.cases.iter().map(|it| case(it, results)).collect();
    let histograms: Vec<Value> = plots.iter().filter_map(histogram).collect();
    json!({
        "name": name, "title": title, "about": about, "measures": measures, "cases": cases, "histograms": histograms, "promises": promises,
        "notes": notes,
    })
}

/// What is in no sample: of each runner how many there are from each size to twice as much.
fn histogram(plot: &Plot) -> Option<Value> {
    let Plot::Histogram(Histogram { title, unit, panels }) = plot else { return None };
    let sizes = |(runner, buckets): &(Runner, Buckets)| {
        let sizes: Map<String, Value> =
            buckets.iter().map(|(size, count)| (size.to_string(), json!(count))).collect();
        (runner.name().to_owned(), Value::Object(sizes))
    };
    let panels: Map<String, Value> = panels.iter().map(sizes).collect();
    Some(json!({ "title": title, "unit": unit, "runners": panels }))
}

fn case(case: &CaseResults, results: &Results) -> Value {
    // In the order of the measures.
    let of_each = |figure: &dyn Fn(usize) -> Option<f64>| -> Vec<Option<f64>> {
        let finite = |at| figure(at).filter(|it| it.is_finite());
        results.measures.iter().enumerate().map(|(at, _)| finite(at)).collect()
    };
    let runner = |runner| {
        let medians = of_each(&|at| case.median(runner, at));
        json!({ "medians": medians, "samples": case.samples.get(&runner) })
    };
    let runners: Map<String, Value> =
        case.samples.keys().map(|it| (it.name().to_owned(), runner(*it))).collect();
    json!({
        "group": case.case.group,
        "name": case.case.name,
        "answer": case.answer,
        "ratio": of_each(&|at| case.ratio(at)),
        "noise": of_each(&|at| case.noise(at)),
        "runners": runners,
    })
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    #[test]
    fn a_histogram_is_there_size_by_size() {
        let panels = vec![(Runner::Vaquita, Buckets::from([(16, 2), (64, 1)]))];
        let plot = Histogram { title: "T".to_owned(), unit: "calls", panels };
        let expected = json!({ "title": "T", "unit": "calls", "runners": { "Vaquita": { "16": 2, "64": 1 } } });
        assert_eq!(histogram(&Plot::Histogram(plot)), Some(expected));
    }

    #[test]
    fn every_sample_is_there() {
        let read: Value = serde_json::from_str(&text(&report(20.0))).unwrap();
        let case = &read["workloads"][0]["cases"][0];
        assert_eq!(case["runners"]["stock"]["samples"], json!([[10.0], [10.0]]));
        assert_eq!(case["runners"]["Vaquita"]["medians"], json!([20.0]));
        assert_eq!(
            (&case["ratio"], &case["noise"], &case["answer"]),
            (&json!([0.5]), &json!([0.0]), &json!("x"))
        );
        assert_eq!(read["promises"], json!({ "held": 1, "missed": 1 }));
        assert_eq!(read["about"]["machine"], "a \"box\"");
        assert_eq!(read["losses"].as_array().map(Vec::len), Some(1));
    }
}
