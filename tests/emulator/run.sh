#!/bin/sh
# Runs a static Linux program on an emulated processor with AVX-512 and leaves with its exit code.
#
#   tests/emulator/run.sh PROGRAM [ARGUMENT...]
#
# Bochs boots a Linux kernel whose only process is the program. What the program prints arrives over
# the emulated serial line, standard error included; a boot takes about half a minute of processor
# time. Needs Debian's packages bochs, xorriso, isolinux, syslinux-common, cpio and busybox-static,
# and the kernel of a linux-image-*-cloud-amd64 package, which need not be installed:
#
#   apt-get download linux-image-6.1.0-57-cloud-amd64-unsigned && dpkg -x linux-image-*.deb somewhere
#
# Variables: EMULATOR_KERNEL the kernel (default: the newest /boot/vmlinuz-*-cloud-amd64),
# EMULATOR_BUSYBOX a static busybox (default: /bin/busybox), EMULATOR_CPU a model that
# `bochs --help cpu` lists (default: corei7_icelake_u; corei7_skylake_x lacks VBMI and VNNI),
# EMULATOR_TIMEOUT in seconds (default: 1800). TENSPAN_*, PROPTEST_* and RUST_* are passed on.
set -eu

program=$1
shift
kernel=${EMULATOR_KERNEL:-$(ls /boot/vmlinuz-*-cloud-amd64 | sort -V | tail -n 1)}
busybox=${EMULATOR_BUSYBOX:-/bin/busybox}
work=$(mktemp -d)
emulator=
trap '[ -z "$emulator" ] || kill "$emulator" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The root: busybox, the program, and an init that runs it. A quoted word may hold anything.
quote() { printf "'%s' " "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }
mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev" "$work/root/tmp" "$work/iso"
cp "$busybox" "$work/root/bin/busybox"
strip -o "$work/root/program" "$program" 2>/dev/null || cp "$program" "$work/root/program"
chmod +x "$work/root/program"
{
    echo '#!/bin/busybox sh'
    echo 'for place in proc:/proc sysfs:/sys devtmpfs:/dev; do'
    echo '    /bin/busybox mount -t "${place%:*}" none "${place#*:}"; done'
    env | grep -E '^(TENSPAN|PROPTEST|RUST)_[A-Z_]*=' | while IFS='=' read -r name value; do
        printf 'export %s=' "$name"
        quote "$value"
        echo
    done
    echo 'echo emulator: begin'
    printf '/program '
    for argument in "$@"; do quote "$argument"; done
    echo
    echo 'echo "emulator: end $?"'
    # The line is slow: what is still under way would be lost.
    echo '/bin/busybox sleep 2'
    echo '/bin/busybox poweroff -f'
} >"$work/root/init"
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc) >"$work/iso/initrd"

# A disc to boot from. Cleared are, by number, what Bochs 2.7 tells wrongly about the size of the
# extended state (515 pku, 321 xsavec, 323 xsaves), and what it was seen to fail with early in a boot
# of Linux 6.1 when all of it was left (297 erms, 580 fsrm, 112 rep_good, 308 smap). Programs still
# see them.
cp "$kernel" "$work/iso/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/iso"
cat >"$work/iso/isolinux.cfg" <<END
default linux
prompt 0
label linux
 kernel vmlinuz
 append initrd=initrd console=ttyS0 quiet panic=-1 nokaslr mitigations=off random.trust_cpu=on cryptomgr.notests lsm=capability clearcpuid=515,321,323,297,580,308,112
END
xorriso -as mkisofs -quiet -o "$work/boot.iso" -b isolinux.bin -c boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table "$work/iso" 2>/dev/null

cat >"$work/bochsrc" <<END
plugin_ctrl: unmapped=1, biosdev=1, speaker=0, parallel=0, gameport=0
config_interface: textconfig
display_library: rfb, options="timeout=0"
cpu: model=${EMULATOR_CPU:-corei7_icelake_u}, count=1, ips=20000000, reset_on_triple_fault=0
memory: guest=1024, host=1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial
log: $work/log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
clock: sync=none
END

# Debian's Bochs has its debugger built in, which waits for a command at the start.
mkfifo "$work/commands"
: >"$work/serial"
timeout "${EMULATOR_TIMEOUT:-1800}" bochs -q -f "$work/bochsrc" <"$work/commands" >"$work/console" 2>&1 &
emulator=$!
exec 3>"$work/commands"
echo c >&3

# Bochs leaves when the machine powers off; a panic of the kernel restarts it for ever.
while kill -0 "$emulator" 2>/dev/null; do
    sleep 1
    if grep -aqE 'emulator: end|Kernel panic' "$work/serial"; then
        sleep 1
        kill "$emulator" 2>/dev/null || true
        break
    fi
done
wait "$emulator" 2>/dev/null || true
emulator=
tr -d '\r' <"$work/serial" | sed -n '/^emulator: begin/,/emulator: end/p' |
    sed '1d; /^emulator: end/d; s/emulator: end.*//'
code=$(tr -d '\r' <"$work/serial" | sed -n 's/.*emulator: end \([0-9]*\).*/\1/p')
if [ -z "$code" ]; then
    echo "emulator: the program did not end; the last lines of both:" >&2
    tail -n 20 "$work/serial" "$work/console" >&2
    code=125
fi
exit "$code"
