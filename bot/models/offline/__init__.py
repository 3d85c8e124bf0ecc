"""The offline mind: understands by rules, answers in the documents' own sentences, judges by overlap."""
