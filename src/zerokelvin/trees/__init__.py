"""Spanning trees and their structures."""
