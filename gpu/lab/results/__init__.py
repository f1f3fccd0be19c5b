"""What was measured, as JSON with device, driver, versions, date and command; and reports."""
