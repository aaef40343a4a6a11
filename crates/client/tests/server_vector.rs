//! VECTOR, which stock clients do not know, on the servers that have it: the bytes of its floats, as HEX() has them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Feature, Server, rows, run};

#[test]
fn vectors_are_bytes() {
    for server in Server::with(Feature::Vector) {
        let mut connection = server.connect();
        let from_text =
            if server.name.starts_with("mysql") { "STRING_TO_VECTOR" } else { "VEC_FromText" };
        run(&mut connection, "CREATE TEMPORARY TABLE v (id INT PRIMARY KEY, v VECTOR(64))");
        for number in 0..100 {
            let floats: Vec<String> =
                (0..64).map(|at| format!("{}", f64::from(at * number - 777) / 7.0)).collect();
            let floats = floats.join(",");
            run(
                &mut connection,
                &format!("INSERT INTO v VALUES ({number}, {from_text}('[{floats}]'))"),
            );
        }
        run(&mut connection, "INSERT INTO v VALUES (100, NULL)");
        let found = rows(&mut connection, "SELECT v, HEX(v) FROM v ORDER BY id");
        assert_eq!(found.len(), 101);
        for row in &found[..100] {
            let [Some(vector), Some(hex)] = &row[..] else { panic!("{row:?}") };
            assert_eq!(vector.len(), 64 * size_of::<f32>(), "{}", server.name);
            let own: String = vector.iter().map(|byte| format!("{byte:02X}")).collect();
            assert_eq!(own.as_bytes(), hex, "{}", server.name);
        }
        assert_eq!(found[100], [None, None]);
    }
}
