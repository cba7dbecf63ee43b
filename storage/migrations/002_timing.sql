-- Schema version 2: what a collective's time is made of. What the kinds mean: storage/format.md.

INSERT INTO span_kind VALUES (10, 'skew'), (11, 'transfer'), (12, 'window');
