"""The tape engine: cotangents back over a recording, tangents forward."""
