"""Tests of mlcore/classroom: pictures, exercises, checks, memory."""
