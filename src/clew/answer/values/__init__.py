"""Values as things to ask for: attributes of entities, numbers and days, as answers, conditions and orders."""
