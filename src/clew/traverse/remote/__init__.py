"""An engine that is elsewhere: requests and results as bytes, the engine that sends and the service that answers."""
