/** Holds a database's write lock: `lock-holder.ts FILE MILLISECONDS`. Prints a line once it has it. */
import { Database } from 'bun:sqlite'

const [path = '', milliseconds = ''] = process.argv.slice(2)
const db = new Database(path)
db.run('pragma busy_timeout = 10000')
db.run('begin immediate')
process.stdout.write('held\n')
await Bun.sleep(Number(milliseconds))
db.run('rollback')
db.close()
