"""Put old turns into fewer words, by an LLM where one answers and by rule where none does.

Nothing here opens a socket: who writes (`Summariser`) is handed in.
"""
