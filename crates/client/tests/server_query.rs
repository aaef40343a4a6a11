//! Queries and their results on real servers.

mod servers;

use servers::{on_each, rows, run, text};
use vaquita_client::{QueryResponse, State, UNKNOWN_ROWS};

#[test]
fn rows_come_back() {
    on_each(|_, connection| {
        let expected = vec![
            vec![Some(b"1".to_vec()), Some(b"a".to_vec()), None],
            vec![Some(b"2".to_vec()), Some(Vec::new()), Some(vec![0, 0xFF, b'\''])],
        ];
        let sql = "SELECT 1, 'a', NULL UNION ALL SELECT 2, '', 0x00FF27";
        assert_eq!(rows(connection, sql), expected);
        assert_eq!(connection.session().affected_rows, 2);
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(rows(connection, "SELECT 1 FROM DUAL WHERE FALSE"), Vec::<Vec<_>>::new());
    });
}
