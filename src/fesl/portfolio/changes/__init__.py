"""What happens when features come, vanish, come back, freeze, or change their units."""
