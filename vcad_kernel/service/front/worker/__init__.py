"""Worker processes: how one is started, asked and ended, that there always is one, its pipes and blocks."""
