"""The engines that solve what leaf elimination leaves."""
