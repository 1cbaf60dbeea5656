// SPDX-License-Identifier: Apache-2.0
// Computes and allocates until its input ends. Prints `ok` if all is right.
let sum = 0, rounds = 0;
const timer = setInterval(() => {
  for (let i = 0; i < 100000; i++) sum += [i].map((n) => n * 2)[0] % 7;
  rounds++;
}, 1);
process.stdin.on('end', () => {
  clearInterval(timer);
  let expected = 0;
  for (let i = 0; i < 100000; i++) expected += (i * 2) % 7;
  console.log(sum === expected * rounds ? 'ok' : 'failed');
});
process.stdin.resume();
console.log('ready');
