"""The routes, one file per resource: a new file is a new resource, without any other change.

A module registers its handlers with `zerokelvin.service.web.route_table.route`.
"""
