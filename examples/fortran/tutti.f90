! The part of tutti that these programs need, field for field as in <tutti/param.h> and
! <tutti/tuner.h> (abi/types lists them). A test compares the members.
module tutti
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int32_t), parameter :: TUTTI_KIND_I32 = 1
  integer(c_int), parameter :: TUTTI_SUCCESS = 0
  integer(c_int), parameter :: TUTTI_VERDICT_OK = 0, TUTTI_VERDICT_WRONG = 1

  type, bind(C) :: tutti_param
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: kind = 0, reserved = 0
    integer(c_size_t) :: offset = 0, size = 0
    type(c_ptr) :: values = c_null_ptr
    integer(c_size_t) :: count = 0
    type(c_ptr) :: choices = c_null_ptr, condition = c_null_ptr
  end type

  type, bind(C) :: tutti_timer_ops
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: start = c_null_funptr, stop = c_null_funptr
    type(c_funptr) :: begin = c_null_funptr, flush = c_null_funptr, describe = c_null_funptr
  end type

  type, bind(C) :: tutti_tuner_desc
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr, version = c_null_ptr, source_id = c_null_ptr
    type(c_ptr) :: params = c_null_ptr
    integer(c_size_t) :: nparams = 0, config_size = 0
    type(c_ptr) :: configurations = c_null_ptr
    integer(c_size_t) :: nconfigurations = 0
    type(c_funptr) :: constraint = c_null_funptr
    type(c_ptr) :: customary = c_null_ptr
    type(c_funptr) :: key = c_null_funptr, prune = c_null_funptr, run = c_null_funptr
    type(c_funptr) :: setup = c_null_funptr, teardown = c_null_funptr
    type(c_funptr) :: prepare = c_null_funptr, release = c_null_funptr
    type(c_funptr) :: reset = c_null_funptr, verify = c_null_funptr, buffers = c_null_funptr
    type(c_ptr) :: memory = c_null_ptr, memory_self = c_null_ptr
    type(c_funptr) :: on_stall = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int) :: policy = 0, aggregation = 0, warmups = 0, samples = 0
    integer(c_int64_t) :: budget_calls = 0
    real(c_double) :: budget_seconds = 0
    logical(c_bool) :: stream = .false., flush = .false.
    real(c_double) :: gap_seconds = 0
    integer(c_int) :: when_pruned = 0
    type(c_ptr) :: timer = c_null_ptr, timer_self = c_null_ptr
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: progress_user = c_null_ptr
    type(c_ptr) :: message = c_null_ptr
    integer(c_size_t) :: message_size = 0
  end type

  interface
    integer(c_int) function tutti_tuner_create(desc, tuner) bind(C)
      import
      type(tutti_tuner_desc), intent(in) :: desc
      type(c_ptr), intent(out) :: tuner
    end function

    subroutine tutti_tuner_destroy(tuner) bind(C)
      import
      type(c_ptr), value :: tuner
    end subroutine

    integer(c_int) function tutti_call(tuner, args, group, options) bind(C)
      import
      type(c_ptr), value :: tuner, args, group, options
    end function

    type(c_ptr) function tutti_best(tuner, args, group) bind(C)
      import
      type(c_ptr), value :: tuner, args, group
    end function

    type(c_ptr) function tutti_message(tuner, group) bind(C)
      import
      type(c_ptr), value :: tuner, group
    end function

    ! name: with a NUL at its end.
    subroutine tutti_key_integer(key, name, number) bind(C)
      import
      type(c_ptr), value :: key
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: number
    end subroutine

    subroutine tutti_group_release(group) bind(C)
      import
      type(c_ptr), value :: group
    end subroutine

    ! Of glue.c, not of tutti:
    integer(c_int) function create_group(comm, group) bind(C)
      import
      integer(c_int), intent(in) :: comm
      type(c_ptr), intent(out) :: group
    end function

    integer(c_size_t) function size_of_param() bind(C)
      import
    end function

    integer(c_size_t) function size_of_timer() bind(C)
      import
    end function

    integer(c_size_t) function size_of_desc() bind(C)
      import
    end function
  end interface

contains

  ! What tutti_message says, as Fortran has texts.
  function tutti_sentence(tuner, group) result(sentence)
    type(c_ptr), intent(in) :: tuner, group
    character(len=:), allocatable :: sentence
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: message
    integer :: i
    message = tutti_message(tuner, group)
    call c_f_pointer(message, letters, [4096])
    sentence = ''
    do i = 1, size(letters)
      if (letters(i) == c_null_char) exit
      sentence = sentence // letters(i)
    end do
  end function
end module
