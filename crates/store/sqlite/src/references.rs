//! Rows that refer to rows which are not there. SQLite keeps its file free of them, but not from whoever writes to it without
//! `PRAGMA foreign_keys`.

use hato_service::ports::Flaw;
use sqlx::{AssertSqlSafe, SqliteConnection};

/// Rows of one table that refer to nothing by one of its columns.
#[derive(sqlx::FromRow)]
struct Broken {
    table: String,
    parent: String,
    fkid: i64,
    rows: i64,
}

/// Looks for such rows, and removes them if they are to be repaired.
pub(crate) async fn check_references(
    c: &mut SqliteConnection,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let broken: Vec<Broken> = sqlx::query_as(
        r#"SELECT "table", parent, fkid, COUNT(*) AS "rows" FROM pragma_foreign_key_check
           GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"#,
    )
    .fetch_all(&mut *c)
    .await?;
    let mut flaws = Vec::new();
    for broken in broken {
        if repair {
            remove(c, &broken).await?;
        }
        flaws.push(Flaw {
            what: format!(
                "{}: {} rows belong to no row of {}",
                broken.table, broken.rows, broken.parent
            ),
            is_repaired: repair,
        });
    }
    Ok(flaws)
}

async fn remove(c: &mut SqliteConnection, broken: &Broken) -> sqlx::Result<()> {
    let Broken {
        table,
        parent,
        fkid,
        ..
    } = broken;
    let (from, to): (String, String) =
        sqlx::query_as(r#"SELECT "from", "to" FROM pragma_foreign_key_list($1) WHERE id = $2"#)
            .bind(table)
            .bind(fkid)
            .fetch_one(&mut *c)
            .await?;
    let delete = format!(
        r#"DELETE FROM "{table}" WHERE "{from}" IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM "{parent}" AS p WHERE p."{to}" = "{table}"."{from}")"#
    );
    sqlx::query(AssertSqlSafe(delete)).execute(c).await?;
    Ok(())
}
