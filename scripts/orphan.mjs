// Loaded before a script that runNode started: when the process that started it is killed, this one ends in its
// orderly way instead of living on unseen.
if (process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
