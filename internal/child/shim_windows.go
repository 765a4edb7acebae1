package child

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const selfLink = ""

// spawn starts a shim. The first three files are its standard ones; the
// handles of lifeline and report it inherits and finds in its arguments.
func spawn(files []*os.File) (*os.Process, error) {
	self, err := program()
	if err != nil {
		return nil, err
	}
	args := []string{Name}
	var handles []syscall.Handle
	for _, f := range files[3:] {
		h := f.Fd()
		if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return nil, err
		}
		handles = append(handles, syscall.Handle(h))
		args = append(args, strconv.FormatUint(uint64(h), 16))
	}
	return os.StartProcess(self, args, &os.ProcAttr{
		Env: []string{"SystemRoot=" + os.Getenv("SystemRoot")}, Files: files[:3],
		Sys: &syscall.SysProcAttr{
			HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, AdditionalInheritedHandles: handles,
		},
	})
}

// inherited are the lifeline and the report of a shim, which must not be
// passed on.
func inherited() (lifeline, report *os.File, err error) {
	if len(os.Args) != 3 {
		return nil, nil, errors.New("two handles are missing")
	}
	var files [2]*os.File
	for i, arg := range os.Args[1:] {
		h, err := strconv.ParseUint(arg, 16, 64)
		if err != nil {
			return nil, nil, err
		}
		if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, 0); err != nil {
			return nil, nil, err
		}
		files[i] = os.NewFile(uintptr(h), arg)
	}
	return files[0], files[1], nil
}

// shim enters a job that ends with it, starts one program in it and waits for
// that, or for the end of the lifeline. It answers with its own exit code.
func shim() int {
	lifeline, report, err := inherited()
	var o order
	if err == nil {
		o, err = readOrder(lifeline)
	}
	if err == nil {
		err = enterJob()
	}
	if err != nil {
		return refuse(report, err)
	}
	p, err := os.StartProcess(o.path, append([]string{o.path}, o.args...), &os.ProcAttr{
		Dir: o.dir, Env: o.env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	closeAll([]*os.File{os.Stdin, os.Stdout, os.Stderr})
	if err != nil {
		tell(report, wordFailed, number(err))
		tell(report, wordGone, 0, 0)
		return 0
	}
	started, _ := look(p.Pid)
	tell(report, wordStarted, uint64(p.Pid), started, 1) // the job is its mark

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if state, err := p.Wait(); err == nil {
			tell(report, wordExited, uint64(uint32(state.ExitCode())))
		}
	}()
	lost := make(chan struct{})
	go func() {
		defer close(lost)
		lifeline.Read(make([]byte, 1)) //nolint:errcheck // only its end ever comes
	}()
	select {
	case <-ended:
	case <-lost:
		p.Kill() //nolint:errcheck // the job ends it as well
		<-ended
	}
	tell(report, wordGone, 0, 0)
	return 0
}

// enterJob puts this process, and all that it starts, into a job that the
// kernel ends when the last handle of it is closed: the one that we leave
// open.
func enterJob() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return err
	}
	return windows.AssignProcessToJobObject(job, windows.CurrentProcess())
}

func number(err error) uint64 {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return uint64(errno)
	}
	return uint64(windows.ERROR_INVALID_PARAMETER)
}

func look(pid int) (started uint64, alive bool) {
	if pid <= 0 {
		return 0, false
	}
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer windows.CloseHandle(h) //nolint:errcheck // it was only read
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	event, err := windows.WaitForSingleObject(h, 0)
	return uint64(created.Nanoseconds()), err == nil && event == uint32(windows.WAIT_TIMEOUT)
}

func signalName(n int) string { return syscall.Signal(n).String() }

// newMark is none: the kernel ends the job with the shim.
func newMark() uint64 { return 0 }

// endMarked has nothing to do: the job has ended with the shim.
func endMarked(uint64, int) (stragglers, left int) { return 0, 0 }
