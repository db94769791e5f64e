"""How many arguments Spark 4.3's functions take, as its analyzer tells."""

from __future__ import annotations

from typing import Final

_TABLE: Final = """
0: cume_dist curdate current_catalog current_database current_schema current_timezone e input_file_block_length
0: input_file_block_start input_file_name monotonically_increasing_id pi row_number spark_partition_id version
0-1: explode explode_outer inline inline_outer localtimestamp now ntile posexplode posexplode_outer rand randn
0-1: random uuid
0-2: counter_diff make_ym_interval mode unix_timestamp variant_strip_nulls
0-3: tuple_union_agg_double tuple_union_agg_integer
0-4: count_min_sketch lag lead make_dt_interval try_variant_set tuple_sketch_agg_double tuple_sketch_agg_integer
0-4: tuple_union_double tuple_union_integer tuple_union_theta_double tuple_union_theta_integer variant_set
0-5: mask
0-7: make_interval
1: abs acos acosh any array_agg array_compact array_distinct array_max array_min array_size ascii asin asinh
1: atan atanh avg base64 bigint bin binary bit_and bit_count bit_length bit_or bit_xor bitmap_and_agg
1: bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count bitmap_or_agg bool_and bool_or
1: boolean cardinality cbrt char char_length character_length chr collation collect_list collect_set
1: collect_union cos cosh cot count_if crc32 csc date date_from_unix_date day dayname dayofmonth dayofweek
1: dayofyear decimal degrees double every exp expm1 factorial flatten float from_base32 grouping hex
1: hll_sketch_estimate initcap int is_valid_utf8 is_valid_variant is_variant_null isnan isnotnull isnull
1: json_array_length json_object_keys kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
1: kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float kurtosis last_day lcase
1: len length ln log10 log1p log2 lower luhn_check make_valid_utf8 map_entries map_from_entries map_keys
1: map_values max md5 mean median min month monthname negative nullifzero octet_length parse_json
1: percentile_cont percentile_disc positive quarter quote radians raise_error reverse rint schema_of_variant
1: schema_of_variant_agg sec sha sha1 sign signum sin sinh size skewness smallint some soundex space sqrt
1: st_geogfromwkb st_srid std stddev stddev_pop stddev_samp string sum tan tanh theta_intersection_agg
1: theta_sketch_estimate time time_from_micros time_from_millis time_from_seconds time_to_micros time_to_millis
1: time_to_seconds timestamp timestamp_micros timestamp_millis timestamp_nanos timestamp_seconds tinyint
1: to_base32 to_variant_object try_avg try_parse_json try_sum try_url_decode try_validate_utf8
1: tuple_sketch_estimate_double tuple_sketch_estimate_integer tuple_sketch_theta_double
1: tuple_sketch_theta_integer typeof ucase unbase64 unhex unix_date unix_micros unix_millis unix_nanos
1: unix_seconds upper url_decode url_encode validate_utf8 var_pop var_samp variance vector_avg vector_sum
1: weekday weekofyear window_time year zeroifnull
1-: coalesce concat_ws count format_string hash hour minute printf second xxhash64
1-2: any_value approx_count_distinct approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate
1-2: array_sort assert_true bround btrim ceil ceiling first first_value floor from_unixtime hll_sketch_agg
1-2: hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint
1-2: kll_sketch_agg_double kll_sketch_agg_float last last_value listagg log ltrim randstr round rtrim
1-2: schema_of_avro schema_of_csv schema_of_json schema_of_xml shuffle sort_array st_asbinary st_geomfromwkb
1-2: string_agg theta_sketch_agg theta_union_agg to_avro to_binary to_csv to_date to_json to_time to_timestamp
1-2: to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_xml trim try_to_binary try_to_date try_to_time
1-2: try_to_timestamp tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_summary_double
1-2: tuple_sketch_summary_integer vector_norm vector_normalize
1-3: approx_top_k sentences str_to_map
1-3 6-7: make_timestamp try_make_timestamp
1-7: try_make_interval
2: add_months array_append array_contains array_except array_intersect array_position array_prepend array_remove
2: array_repeat array_union arrays_overlap atan2 bit_get collate contains corr covar_pop covar_samp date_add
2: date_diff date_format date_part date_sub date_trunc dateadd datediff datepart element_at encode endswith
2: equal_null exists extract filter find_in_set forall format_number from_utc_timestamp get get_json_object
2: getbit histogram_numeric hypot ifnull jaro_winkler_similarity kll_sketch_get_quantile_bigint
2: kll_sketch_get_quantile_double kll_sketch_get_quantile_float kll_sketch_get_rank_bigint
2: kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint kll_sketch_merge_double
2: kll_sketch_merge_float left map_contains_key map_filter map_from_arrays mod nanvl next_day nullif nvl pmod
2: pow power regexp regexp_count regexp_like regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2
2: regr_slope regr_sxx regr_sxy regr_syy repeat right rlike session_window sha2 shiftleft shiftright
2: shiftrightunsigned st_setsrid startswith theta_difference theta_intersection time_trunc to_char to_number
2: to_utc_timestamp to_varchar transform transform_keys transform_values trunc try_add try_divide try_element_at
2: try_mod try_multiply try_subtract try_to_number tuple_difference_double tuple_difference_integer
2: tuple_difference_theta_double tuple_difference_theta_integer vector_cosine_similarity vector_inner_product
2: vector_l2_distance xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short
2: xpath_string
2 6: make_timestamp_ntz try_make_timestamp_ntz
2-: decode elt greatest java_method json_tuple least reflect stack try_reflect variant_delete
2-3: approx_percentile array_join convert_timezone from_avro from_csv from_json from_xml hll_union hmac ilike
2-3: levenshtein like locate lpad max_by min_by months_between nth_value parse_url percentile percentile_approx
2-3: position regexp_extract regexp_extract_all regexp_instr replace rpad sequence split substr substring
2-3: theta_union time_bucket try_parse_url try_variant_get tuple_intersection_double tuple_intersection_integer
2-3: tuple_intersection_theta_double tuple_intersection_theta_integer uniform variant_get
2-3 6-7: make_timestamp_ltz try_make_timestamp_ltz
2-4: from_protobuf instr to_protobuf window
2-5: aes_decrypt try_aes_decrypt
2-6: aes_encrypt
3: array_insert conv make_date make_time map_zip_with nvl2 slice split_part substring_index time_diff translate
3: try_variant_array_append try_variant_insert variant_array_append variant_insert zip_with
3-4: aggregate overlay reduce regexp_replace
4: width_bucket
even: map named_struct
"""
"""Counts, or ranges of them, and the functions that take so many; `2-` is two or more."""


def _takes(words: str, count: int) -> bool:
    if words == "even":
        return count % 2 == 0
    ranges = [word.partition("-") for word in words.split()]
    return any(int(a) <= count and (count <= int(b or a) or (dash and not b)) for a, dash, b in ranges)


def _read_table() -> dict[str, str]:
    lines = [line.partition(": ") for line in _TABLE.strip().splitlines()]
    return {name: counts for counts, _, names in lines for name in names.split()}


ARITY: Final = _read_table()
"""The counts that a function takes, in the words of the table; one that is not here takes any, or we do not know."""


def takes(name: str, count: int) -> bool:
    """May the function have so many arguments; True if we do not know it."""
    counts = ARITY.get(name)
    return counts is None or _takes(counts, count)


def described(name: str) -> str:
    """The numbers of arguments in words, for a message: `1`, `2 or 3`, `1 or more`."""
    parts = []
    for word in ARITY[name].split():
        low, dash, high = word.partition("-")
        parts.append(f"{low} to {high}" if high else f"{low} or more" if dash else low)
    words = " or ".join(parts)
    return "an even number of arguments" if words == "even" else f"{words} argument{'' if words == '1' else 's'}"
