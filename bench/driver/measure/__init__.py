# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What a program cost, as kernel and VM tell it; caps on what it may use; numbers as tables and plots."""
