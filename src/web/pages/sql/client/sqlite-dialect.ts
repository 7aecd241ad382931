/** The words of SQLite that queries use. The dialect of the editor's library also has those of other databases. */
import { SQLDialect, SQLite } from "@codemirror/lang-sql";

/** Of SELECT statements: https://www.sqlite.org/lang_keywords.html */
const KEYWORDS =
  "all and as asc between by case cast collate cross current_date current_time current_timestamp desc distinct else end escape " +
  "except exclude exists filter first following from full glob group groups having in inner intersect is isnull join last left " +
  "like limit materialized natural not notnull null nulls offset on or order outer over partition preceding range recursive " +
  "right row rows select then ties unbounded union using values when where window with";

/** https://www.sqlite.org/lang_corefunc.html and the pages that follow it */
const FUNCTIONS =
  "abs avg ceil coalesce concat concat_ws count cume_dist date datetime dense_rank first_value floor format group_concat ifnull iif " +
  "instr json_array json_array_length json_each json_extract json_group_array json_group_object json_object json_type julianday lag " +
  "last_value lead length lower ltrim max min mod nth_value ntile nullif octet_length percent_rank pow random rank replace round " +
  "row_number rtrim sign sqrt strftime string_agg substr sum time timediff total trim trunc typeof unicode unixepoch upper";

const TYPES = "blob integer numeric real text";

export const SQLITE = SQLDialect.define({ ...SQLite.spec, keywords: KEYWORDS, builtin: FUNCTIONS, types: TYPES });

const WORDS: ReadonlySet<string> = new Set([KEYWORDS, FUNCTIONS, TYPES].flatMap((words) => words.split(" ")));

export const isSqliteWord = (text: string): boolean => WORDS.has(text.toLowerCase());
