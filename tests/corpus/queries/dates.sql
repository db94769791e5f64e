-- name: dt_parts
SELECT id, year(d) AS y, month(d) AS m, day(d) AS dd, quarter(d) AS q, dayofweek(d) AS w, dayofyear(d) AS n, weekofyear(d) AS k, weekday(d) AS e FROM moments

-- name: dt_time_parts
SELECT id, hour(ts) AS h, minute(ts) AS m, second(ts) AS s FROM moments

-- name: dt_extract
SELECT id, extract(YEAR FROM d) AS y, extract(MONTH FROM ts) AS m, extract(DOW FROM d) AS w, extract(SECOND FROM ts) AS s, date_part('QUARTER', d) AS q FROM moments

-- name: dt_add_days
SELECT id, date_add(d, 1) AS a, date_sub(d, 1) AS b, d + 1 AS c, d - 1 AS e FROM moments WHERE id <> 10

-- name: dt_diff
SELECT id, datediff(d, DATE '2000-01-01') AS n, date_diff(DATE '2024-12-31', d) AS m FROM moments

-- name: dt_subtract
SELECT id, d - DATE '2024-01-01' AS i FROM moments WHERE id IN (1, 7)

-- name: dt_add_months
SELECT id, add_months(d, 1) AS a, add_months(d, -12) AS b, months_between(d, DATE '2000-01-31') AS c FROM moments WHERE id <> 10

-- name: dt_last_day
SELECT id, last_day(d) AS l, next_day(d, 'MONDAY') AS n, trunc(d, 'MM') AS m, trunc(d, 'YEAR') AS y FROM moments WHERE id <> 10

-- name: dt_date_trunc
SELECT id, date_trunc('YEAR', ts) AS y, date_trunc('WEEK', ts) AS w, date_trunc('HOUR', ts) AS h FROM moments

-- name: dt_interval_day
SELECT id, d + INTERVAL 1 DAY AS a, d - INTERVAL '2' DAY AS b FROM moments WHERE id <> 10

-- name: dt_interval_month
SELECT id, d + INTERVAL 1 MONTH AS a, d - INTERVAL '1' YEAR AS b FROM moments WHERE id <> 10

-- name: dt_interval_mixed
SELECT id, ts + INTERVAL '1 02:03:04' DAY TO SECOND AS a, ts - INTERVAL '1-2' YEAR TO MONTH AS b FROM moments WHERE id <> 10

-- name: dt_interval_hours
SELECT id, ts + INTERVAL 90 MINUTES AS a, ts + INTERVAL '36' HOUR AS b FROM moments WHERE id <> 10

-- name: dt_interval_several_units
SELECT id, ts + INTERVAL 1 DAY 2 HOURS AS a FROM moments WHERE id <> 10

-- name: dt_interval_multiply
SELECT id, d + INTERVAL '1' DAY * 3 AS a FROM moments WHERE id <> 10

-- name: dt_timestampadd
SELECT id, timestampadd(HOUR, 5, ts) AS a, timestampdiff(DAY, ts, TIMESTAMP '2024-03-31 00:00:00') AS b FROM moments WHERE id <> 10

-- name: dt_dateadd_unit
SELECT id, dateadd(MONTH, 2, d) AS a, datediff(WEEK, d, DATE '2024-03-31') AS b FROM moments WHERE id <> 10

-- name: dt_compare_literal
SELECT id FROM moments WHERE d >= DATE '2000-01-01' AND d < DATE '2024-03-01'

-- name: dt_compare_string
SELECT id FROM moments WHERE d = '2024-02-29'

-- name: dt_compare_timestamp_literal
SELECT id FROM moments WHERE ts > TIMESTAMP '2000-12-31 00:00:00'

-- name: dt_compare_date_and_timestamp
SELECT id FROM moments WHERE d = ts

-- name: dt_compare_ntz
SELECT id FROM moments WHERE n = ts

-- name: dt_between_dates
SELECT id FROM sale WHERE sold_on BETWEEN DATE '2024-01-02' AND DATE '2024-02-29'

-- name: dt_cast_date
SELECT id, CAST(ts AS DATE) AS d, CAST(d AS TIMESTAMP) AS t, to_date(ts) AS e, date(ts) AS f FROM moments

-- name: dt_cast_string
SELECT id, CAST(d AS STRING) AS d, CAST(ts AS STRING) AS t, CAST('2024-05-06' AS DATE) AS p FROM moments

-- name: dt_cast_ntz
SELECT id, CAST(n AS DATE) AS d, CAST(ts AS TIMESTAMP_NTZ) AS n FROM moments

-- name: dt_format
SELECT id, date_format(ts, 'yyyy-MM-dd HH:mm') AS f, to_date('31/12/2024', 'dd/MM/yyyy') AS p FROM moments

-- name: dt_unix
SELECT id, unix_timestamp(ts) AS u, to_unix_timestamp('1970-01-02', 'yyyy-MM-dd') AS v, unix_date(d) AS w FROM moments

-- name: dt_from_unix
SELECT from_unixtime(0) AS a, timestamp_seconds(1) AS b, timestamp_micros(1) AS c, date_from_unix_date(1) AS d

-- name: dt_make
SELECT make_date(2024, 2, 29) AS a, make_timestamp(2024, 1, 2, 3, 4, 5.5) AS b, to_timestamp('2024-01-01 10:00:00') AS c

-- name: dt_case_dates
SELECT id, CASE WHEN d IS NULL THEN DATE '1900-01-01' ELSE d END AS d, coalesce(ts, TIMESTAMP '1900-01-01 00:00:00') AS t FROM moments

-- name: dt_greatest
SELECT id, greatest(d, DATE '2000-06-01') AS g, least(d, DATE '2000-06-01') AS l FROM moments

-- name: dt_group_year
SELECT year(d) AS y, count(*) AS n, min(ts) AS t FROM moments GROUP BY year(d)

-- name: dt_sum_of_days
SELECT sum(datediff(sold_on, DATE '2024-01-01')) AS s FROM sale

-- name: dt_interval_literal_compare
SELECT id FROM sale WHERE sold_at - TIMESTAMP '2024-01-01 00:00:00' < INTERVAL '2' DAY

-- name: dt_window_tumbling
SELECT window(sold_at, '1 day').start AS s, count(*) AS n FROM sale GROUP BY window(sold_at, '1 day')

-- name: dt_months_group
SELECT date_format(sold_on, 'yyyy-MM') AS m, sum(qty) AS q FROM sale GROUP BY date_format(sold_on, 'yyyy-MM')

-- name: clock_current_date
SELECT id FROM moments WHERE d <= current_date()

-- name: clock_now
SELECT id FROM sale WHERE sold_at < now()

-- name: clock_current_timestamp_keyword
SELECT count(*) AS n FROM sale WHERE sold_at <= CURRENT_TIMESTAMP

-- name: clock_interval
SELECT id FROM sale WHERE sold_on > current_date - INTERVAL 100 YEARS
