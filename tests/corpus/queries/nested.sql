-- name: nest_struct_field
SELECT id, st.x AS x, st.y AS y FROM nested

-- name: nest_struct_star
SELECT id, st.* FROM nested

-- name: nest_struct_literal
SELECT struct(1, 'a') AS s, named_struct('p', 1, 'q', NULL) AS t

-- name: nest_struct_of_columns
SELECT struct(a, b) AS s FROM t1

-- name: nest_struct_star_argument
SELECT struct(*) AS s FROM t3

-- name: nest_struct_comparison
SELECT id FROM nested WHERE st = named_struct('x', 1, 'y', 'one')

-- name: nest_struct_less
SELECT x.id AS i, y.id AS j FROM nested x JOIN nested y ON x.st < y.st

-- name: nest_array_index
SELECT id, arr[0] AS f FROM nested WHERE size(arr) > 0

-- name: nest_get
SELECT id, get(arr, 5) AS f, try_element_at(arr, 1) AS e FROM nested

-- name: nest_element_at
SELECT id, element_at(arr, -1) AS e FROM nested WHERE size(arr) > 0

-- name: nest_size
SELECT id, size(arr) AS n, cardinality(m) AS c, array_size(strs) AS s FROM nested

-- name: nest_array_literal
SELECT array(1, 2, NULL) AS a, array(1, 2.5) AS w, array('x', 'y') AS s

-- name: nest_array_contains
SELECT id, array_contains(arr, 3) AS c FROM nested

-- name: nest_array_functions
SELECT id, sort_array(arr) AS s, array_distinct(arr) AS d, array_max(arr) AS m, reverse(arr) AS r FROM nested

-- name: nest_array_set_functions
SELECT id, array_union(arr, array(1, 9)) AS u, array_intersect(arr, array(1, 2)) AS i, array_except(arr, array(5)) AS e FROM nested

-- name: nest_array_slice
SELECT id, slice(arr, 1, 2) AS s, concat(arr, array(0)) AS c, flatten(array(arr, arr)) AS f FROM nested

-- name: nest_array_join
SELECT id, array_join(strs, '-') AS j, array_join(strs, '-', '?') AS k FROM nested

-- name: nest_array_position
SELECT id, array_position(arr, 5) AS p, array_remove(arr, 5) AS r, array_append(arr, 7) AS a FROM nested

-- name: nest_array_equality
SELECT x.id AS i, y.id AS j FROM nested x JOIN nested y ON x.arr = y.arr

-- name: nest_arrays_overlap
SELECT id, arrays_overlap(arr, array(2, 4)) AS o FROM nested

-- name: nest_arrays_zip
SELECT id, arrays_zip(arr, strs) AS z FROM nested

-- name: nest_sequence
SELECT sequence(1, 5, 2) AS s, sequence(DATE '2024-01-30', DATE '2024-02-02') AS d

-- name: nest_map_value
SELECT id, m['x'] AS x, element_at(m, 'y') AS y FROM nested

-- name: nest_map_functions
SELECT id, sort_array(map_keys(m)) AS k, sort_array(map_values(m)) AS v, map_contains_key(m, 'x') AS c FROM nested

-- name: nest_map_literal
SELECT map('a', 1, 'b', 2)['b'] AS b, map('a', 1)['z'] AS z

-- name: nest_map_entries
SELECT id, sort_array(map_entries(m)) AS e FROM nested

-- name: nest_map_filter
SELECT id, map_filter(m, (k, v) -> v > 1) AS f FROM nested

-- name: nest_transform_map
SELECT id, transform_values(m, (k, v) -> v * 10) AS t, transform_keys(m, (k, v) -> upper(k)) AS u FROM nested

-- name: nest_transform
SELECT id, transform(arr, x -> x + 1) AS t FROM nested

-- name: nest_transform_index
SELECT id, transform(arr, (x, i) -> x * i) AS t FROM nested

-- name: nest_transform_outer_column
SELECT id, transform(arr, x -> x + id) AS t FROM nested

-- name: nest_transform_nested_lambda
SELECT id, transform(array(arr, arr), x -> transform(x, y -> y + 1)) AS t FROM nested

-- name: nest_filter
SELECT id, filter(arr, x -> x > 1) AS f FROM nested

-- name: nest_exists_forall
SELECT id, exists(arr, x -> x = 5) AS e, forall(arr, x -> x > 0) AS f FROM nested

-- name: nest_aggregate
SELECT id, aggregate(arr, 0, (acc, x) -> acc + x) AS s FROM nested

-- name: nest_aggregate_finish
SELECT id, aggregate(arr, 0, (acc, x) -> acc + coalesce(x, 0), acc -> acc * 10) AS s FROM nested

-- name: nest_reduce
SELECT id, reduce(arr, 1, (acc, x) -> acc * x) AS p FROM nested

-- name: nest_zip_with
SELECT id, zip_with(arr, arr, (x, y) -> x + y) AS z FROM nested

-- name: nest_lambda_shadows_column
SELECT id, transform(arr, id -> id * 2) AS t FROM nested

-- name: nest_array_sort_lambda
SELECT id, array_sort(arr, (l, r) -> r - l) AS s FROM nested WHERE id IN (1, 5, 6)

-- name: nest_array_of_structs_field
SELECT id, items.sku AS skus FROM nested

-- name: nest_array_of_structs_index
SELECT id, items[0].n AS n FROM nested WHERE size(items) > 0

-- name: nest_struct_in_where
SELECT id FROM nested WHERE st.x > 0 AND size(items) >= 1

-- name: nest_struct_group
SELECT st.y AS y, count(*) AS n, sum(st.x) AS s FROM nested GROUP BY st.y

-- name: nest_deep_struct
SELECT s.a.b AS b FROM (SELECT struct(struct(id AS b) AS a) AS s FROM nested) x

-- name: nest_qualified_struct
SELECT nested.st.x AS x, n2.st.y AS y FROM nested JOIN nested n2 ON nested.id = n2.id

-- name: nest_distinct_array
SELECT DISTINCT strs FROM nested

-- name: nest_array_compare
SELECT id FROM nested WHERE arr > array(3, 0)

-- name: nest_from_entries
SELECT map_from_entries(array(struct('a', 1), struct('b', 2)))['a'] AS a

-- name: nest_str_to_map
SELECT str_to_map('a:1,b:2')['b'] AS b
