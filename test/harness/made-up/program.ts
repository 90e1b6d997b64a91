/** The program with the made-up agent CLI: see `build.ts`. */
import './enter'
import '../../../src/cli/main'
