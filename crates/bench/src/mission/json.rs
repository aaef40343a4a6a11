//! The report for programs: every sample, and what was made of it.

use serde_json::{Map, Value, json};

use super::report::{Report, Section};
use super::results::{CaseResults, Results};

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
    let Section { name, title, about, results, promises, .. } = section;
    let promises: Vec<Value> =
        promises.iter().map(|it| json!({ "what": it.what, "held": it.is_held })).collect();
    let measures: Vec<Value> =
        results.measures.iter().map(|it| json!({ "name": it.name, "unit": it.unit })).collect();
    let cases: Vec<Value> = results.cases.iter().map(|it| case(it, results)).collect();
    json!({ "name": name, "title": title, "about": about, "measures": measures, "cases": cases, "promises": promises })
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
