/** Takes the write lock of the SQLite file in its argument, says so, and gives it back when its standard input ends. */
import { Database } from 'bun:sqlite'

const database = new Database(process.argv[2])
database.run('begin immediate')
database.run("insert into tombstones (kind, value, at) values ('path', 'locked', 1)")
process.stdout.write('locked\n')
await Bun.stdin.text()
database.run('rollback')
