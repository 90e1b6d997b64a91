/** Serves the folder `argv[2]` as the bucket `lode` by s3rver, on the port `argv[3]`; prints the port. Ends with its standard input. */
import S3rver from 's3rver'

const [, , directory, port] = process.argv
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  silent: true,
  directory,
  configureBuckets: [{ name: 'lode' }],
})
const address = await server.run()
console.log(address.port)
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
