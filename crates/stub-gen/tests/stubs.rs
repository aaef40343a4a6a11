//! The stubs of the extension itself: they are understood, and so is any part of one, or it is refused.

use vaquita_stub_gen::{StubError, Target, generate};

const STUB: &str = include_str!("../../php/stubs/mysqli.stub.php");

fn made(stub: &str, version_id: &str) -> Result<String, StubError> {
    match Target::of_header(&format!("#define PHP_VERSION_ID {version_id}")) {
        Some(target) => generate(stub, target),
        None => unreachable!("{version_id} is a version"),
    }
}

#[test]
fn the_stub_is_understood_for_each_php() {
    for version_id in ["80235", "80300", "80401"] {
        let tables = made(STUB, version_id).expect("the stub is right");
        assert!(tables.contains("fn register_class_mysqli_result"));
        assert!(tables.contains("c\"MYSQLI_STORE_RESULT\""));
    }
}

#[test]
fn the_stub_of_our_own_functions_is_understood() {
    let stub = include_str!("../../php/stubs/vaquita.stub.php");
    for version_id in ["80235", "80401"] {
        let tables = made(stub, version_id).expect("the stub is right");
        assert!(tables.contains(r#"c"Vaquita\\set_query_timeout""#), "{tables}");
        assert!(tables.contains("fn register_class_vaquita_rows"), "{tables}");
    }
}

#[test]
fn a_stub_cut_anywhere_is_answered() {
    let mut refused = 0;
    for (end, _) in STUB.char_indices().step_by(31) {
        refused += usize::from(made(&STUB[..end], "80235").is_err());
    }
    assert!(refused > 200, "only {refused} cuts were refused");
}
