#!/usr/bin/env -S node --enable-source-maps --max-semi-space-size=32
// The program of the package (`bin` of package.json): the command line under its own name, which serves without a command.
import './cli.js';
